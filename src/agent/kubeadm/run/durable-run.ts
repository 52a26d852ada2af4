/** Runs kubeadm so that it outlives the agent: an agent that was killed finds it again and learns how it ended. */
import type { Host } from '../../host/host.ts';
import { SHAPED_CONFIG } from '../config/shaped-arguments.ts';
import { progressReader } from './progress.ts';
import { kubeadmEnvironment } from './real-kubeadm.ts';

/** Name of the durable run; one kubeadm at a time on a machine. */
export const KUBEADM_RUN = 'kubeadm';

export interface KubeadmSpec {
  /** Path of the real kubeadm. */
  path: string;
  verb: 'init' | 'join';
  /** Everything behind the verb. */
  args: string[];
  /** Added to the environment, e.g. proxy settings; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  /** Directory in which a shell left its exported variables (`env`) and its directory (`cwd`) for kubeadm to inherit. */
  shellState?: string;
  /** Ends kubeadm (SIGTERM first). */
  signal?: AbortSignal;
  /** A line worth telling, without secrets. */
  onProgress?: (message: string) => void;
  /** Every line as kubeadm printed it, for handing it on to a terminal; may hold secrets. */
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
}

export interface KubeadmRun {
  /** Undefined when kubeadm vanished without a status: power loss, or it was killed together with its guard. */
  exitStatus: number | undefined;
  /** Raw output: may hold secrets, so it goes to `classify` and nowhere else. */
  stdout: string;
  stderr: string;
  ms: number;
  /** A run that an earlier agent had begun was taken over. */
  adopted: boolean;
}

/** Is there a kubeadm of an earlier agent that still runs, or whose end nobody has taken note of? */
export async function findEarlierRun(host: Host): Promise<'running' | 'ended' | 'vanished' | undefined> {
  return host.processes.findDurable(KUBEADM_RUN);
}

/**
 * Runs kubeadm, or takes over the run that an earlier agent began, and waits for its end. Does not throw for kubeadm's
 * failure; throws HostError when it cannot be started. Call `forgetRun` once the result is in the journal.
 */
export async function runKubeadm(host: Host, spec: KubeadmSpec): Promise<KubeadmRun> {
  const earlier = await findEarlierRun(host);
  const read = progressReader();
  const result = await host.processes.runDurable({
    name: KUBEADM_RUN,
    argv: argvFor(spec),
    env: { ...spec.env, ...kubeadmEnvironment() },
    ...(spec.signal === undefined ? {} : { signal: spec.signal }),
    onLine: (line, stream) => {
      spec.onLine?.(line, stream);
      const message = read(line, stream);
      if (message !== undefined) spec.onProgress?.(message);
    },
  });
  return { ...result, adopted: earlier === 'running' || earlier === 'ended' };
}

/** Forgets the run's files, so that the next one starts anew, and the copy of the configuration, which holds a token. */
export async function forgetRun(host: Host): Promise<void> {
  await host.processes.forgetDurable(KUBEADM_RUN);
  await host.files.remove(SHAPED_CONFIG);
}

/** A command before kubeadm may have exported proxy settings or changed PATH, as it may in cloud-init's script. */
const INHERIT = `
if [ -r "$1/env" ]; then . "$1/env"; fi
if [ -r "$1/cwd" ]; then cd "$(cat "$1/cwd")"; fi
shift
exec "$@"`;

function argvFor({ path, verb, args, shellState }: KubeadmSpec): [string, ...string[]] {
  const kubeadm: [string, ...string[]] = [path, verb, ...args];
  return shellState === undefined
    ? kubeadm
    : ['/bin/sh', '-c', INHERIT, 'slipway-kubeadm', shellState, ...kubeadm];
}
