/**
 * `kubeadm init` pulls the images of a control plane one after the other. Where they are not on the machine, they are pulled here
 * at once, just before: kubeadm finds them then. Whatever goes wrong is left to kubeadm, which pulls what is lacking and
 * says why it cannot.
 */
import { type Host, HostError } from '../../host/host.ts';
import type { KubeadmConfig } from '../config/config.ts';
import { flagValue, parseFlags } from '../config/flags.ts';
import { DEFAULT_SOCKETS, socketPath } from '../config/kubelet/node-registration.ts';
import { kubeadmEnvironment } from './real-kubeadm.ts';

interface PullSpec {
  /** The path of the real kubeadm. */
  path: string;
  /** The arguments with which kubeadm init will be called. */
  args: readonly string[];
  config: Partial<KubeadmConfig>;
  signal: AbortSignal;
  /** Milliseconds that it may take. */
  limitMs: number;
  onProgress(message: string): void;
}

/** kubeadm's own registry: until 1.24, and since. */
const REGISTRIES = ['registry.k8s.io', 'k8s.gcr.io'];
const LIST_MS = 20_000;

export async function prefetchImages(host: Host, spec: PullSpec): Promise<void> {
  const { config, onProgress } = spec;
  const socket = socketPath(config.criSocket ?? DEFAULT_SOCKETS[0]);
  const file = flagValue(parseFlags([...spec.args]), 'config');
  if (host.root !== '/' || host.platform === 'windows' || file === undefined || !isUsual(config)) return;
  try {
    // Asked first, as it costs next to nothing: most images of machines have them all.
    const own = (config.imageRepository === undefined ? REGISTRIES : [config.imageRepository]).map(
      (registry) => `${registry}/kube-apiserver:${config.kubernetesVersion?.replace('+', '_')}`,
    );
    for (const image of own) if (await hasImage(host, socket, image)) return;
    const images = await listed(host, spec, file);
    const lacking: string[] = [];
    for (const image of images) if (!(await hasImage(host, socket, image))) lacking.push(image);
    if (lacking.length === 0) return;
    onProgress(`pulling ${lacking.length} control plane images in parallel`);
    const why = await firstFailure(host, socket, lacking, spec);
    if (why !== undefined) onProgress(`an image could not be pulled ahead of kubeadm: ${why}`);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
  }
}

/**
 * Does kubeadm pull what is absent, of a release that the configuration names? Without a name it would ask the network for the
 * newest one.
 */
function isUsual({
  kubernetesVersion,
  imagePullPolicy,
  imagePullSerial,
  skipPhases,
}: PullSpec['config']): boolean {
  if (!/^v\d+\.\d+\.\d+/.test(kubernetesVersion ?? '') || skipPhases?.includes('preflight')) return false;
  return (imagePullPolicy ?? 'IfNotPresent') === 'IfNotPresent' && imagePullSerial === undefined;
}

async function listed(host: Host, { path, signal }: PullSpec, file: string): Promise<string[]> {
  const { exitStatus, stdout } = await host.processes.run({
    argv: [path, 'config', 'images', 'list', '--config', file],
    env: kubeadmEnvironment(),
    timeoutMs: LIST_MS,
    signal,
  });
  return exitStatus === 0 ? stdout.split('\n').filter(isImage) : [];
}

/** `REGISTRY/NAME:TAG`; a warning of kubeadm's is none. */
function isImage(line: string): boolean {
  const slash = line.lastIndexOf('/');
  return slash > 0 && line.indexOf(':', slash) > slash + 1 && !/\s/.test(line);
}

/** Waits for all, or until one of them fails: kubeadm has to say it then, and soon, so the others are broken off. */
async function firstFailure(
  host: Host,
  socket: string,
  images: readonly string[],
  { limitMs, signal }: PullSpec,
): Promise<string | undefined> {
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  try {
    return await new Promise((resolve, reject) => {
      let left = images.length;
      const ended = (why: string | undefined): void => {
        left -= 1;
        if (why !== undefined || left === 0) resolve(why);
      };
      for (const image of images) pullImage(host, socket, image, limitMs, until).then(ended, reject);
    });
  } finally {
    over.abort();
  }
}

/** CRI's ImageService: the messages of the two calls below are small enough to be written by hand (k8s.io/cri-api, runtime/v1). */
const SERVICE = '/runtime.v1.ImageService';
const OK = 0;
const ASK_MS = 5_000;
/** Tag of field 1 with a length before its content, as all fields here are. */
const FIELD_1 = 0x0a;

/** Is the image on this machine? @throws HostError when nobody answers */
async function hasImage(host: Host, socket: string, image: string): Promise<boolean> {
  const answer = await host.network.callUnix(socket, `${SERVICE}/ImageStatus`, about(image), ASK_MS);
  // ImageStatusResponse: an image that is not there is left out.
  return answer.status === OK && answer.message[0] === FIELD_1;
}

/**
 * Has the runtime pull an image, as kubeadm does: with the credentials that the runtime has.
 *
 * @returns why it could not; undefined when the image is there
 * @throws HostError when nobody answers in time, or `signal` broke it off
 */
async function pullImage(
  host: Host,
  socket: string,
  image: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const method = `${SERVICE}/PullImage`;
  const answer = await host.network.callUnix(socket, method, about(image), timeoutMs, signal);
  return answer.status === OK ? undefined : answer.statusMessage;
}

/** ImageStatusRequest and PullImageRequest: an ImageSpec as field 1, whose field 1 is the name. */
function about(image: string): Uint8Array {
  return field(field(Buffer.from(image)));
}

function field(content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([FIELD_1]), varint(content.length), content]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}
