import { type Host, HostError } from '../../../host/host.ts';
import { readKey } from '../../../host/windows-registry.ts';
import { serviceState } from '../../../host/windows-services.ts';
import { DEFAULT_EVICTION_THRESHOLDS } from '../../../kubeadm/config/kubelet/eviction-thresholds.ts';
import { type Check, megabytes, type PreflightFinding, percent, preflightFinding } from '../check.ts';

/** A longer name is cut off for NetBIOS, and two machines may then have the same one. */
const LONGEST_NAME = 15;
const ASK_MS = 5_000;
const GIB = 1024 ** 3;

export const windowsName: Check = {
  name: 'the host name',
  async run(host) {
    const name = host.hostname();
    if (name.length <= LONGEST_NAME) return [];
    const message = `the host name "${name}" is longer than the ${LONGEST_NAME} characters that NetBIOS allows`;
    return [preflightFinding('warning', 'NodeNameInvalid', message)];
  },
};

/** The Host Network Service belongs to the feature Containers; every network of pods rests on it, and kube-proxy does. */
export const hostNetworkService: Check = {
  name: 'the Host Network Service',
  async run(host) {
    const load = (await serviceState(host, 'hns', ASK_MS))?.get('LoadState');
    if (load !== 'not-found' && load !== 'masked') return [];
    const what =
      load === 'masked'
        ? 'is disabled'
        : 'does not exist: the Windows feature Containers is not installed, or a restart is pending';
    const remedy = 'Install the feature in the image (Install-WindowsFeature Containers), and restart it.';
    return [preflightFinding('warning', 'ProgramMissing', `the service hns ${what}`, { remedy })];
  },
};

const MEMORY = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management';

/** Windows promises each program its memory beforehand: without a page file, one fails while there is plenty. */
export const pageFile: Check = {
  name: 'the page file',
  async run(host) {
    const files = (await readKey(host, MEMORY)).get('pagingfiles');
    if (files === undefined || files.replaceAll('\\0', '').trim() !== '') return [];
    const message = 'there is no page file: Windows refuses memory to containers even when some is free';
    const remedy = 'Let Windows manage its page file in the image.';
    return [preflightFinding('warning', 'SystemSettingFailed', message, { remedy })];
  },
};

const EXCLUDED = 'HKLM\\SOFTWARE\\Microsoft\\Windows Defender\\Exclusions\\Processes';

/** Defender scans a program of 95 MB at its first start, in the middle of a boot. */
export const defender: Check = {
  name: "Defender's exclusions",
  async run(host) {
    if ((await serviceState(host, 'WinDefend', ASK_MS))?.get('ActiveState') !== 'active') return [];
    const excluded = await readKey(host, EXCLUDED);
    const program = process.execPath;
    if (excluded.has(program.toLowerCase())) return [];
    const message = `Defender scans ${program} on each start`;
    const remedy = `Exclude it in the image, as windows/install.ps1 does: Add-MpPreference -ExclusionProcess '${program}'`;
    return [preflightFinding('warning', 'SystemSettingFailed', message, { remedy })];
  },
};

/** What Kubernetes writes lies on the drive of the system, images too. */
export const systemDrive: Check = {
  name: 'disk space',
  async run(host, { config }): Promise<PreflightFinding[]> {
    const { own, images } = config?.leastFree ?? DEFAULT_EVICTION_THRESHOLDS;
    const space = await host.files.space('/');
    const share = space.freeBytes / space.totalBytes;
    const least = Math.max(own, images);
    if (!(space.totalBytes > 0) || (share >= least && space.freeBytes >= GIB)) return [];
    const what = share < own ? 'evicts pods' : share < images ? 'removes images' : undefined;
    const consequence = what && `; below ${percent(share < own ? own : images)} the kubelet ${what}`;
    const message = `the system's drive has ${percent(share)} (${megabytes(space.freeBytes)}) free${consequence ?? ''}`;
    return [preflightFinding('warning', 'DiskSpaceLow', message)];
  },
};

/** Where containerd listens on Windows, unless its configuration says otherwise. */
const PIPE = 'npipe:////./pipe/containerd-containerd';
const LIMIT_MS = 3_000;

/** What kubeadm looks at only when it has begun: the runtime's pipe. Where it says nothing, its service may say why. */
export const runtimePipe: Check = {
  name: 'container runtime',
  async run(host, { config }) {
    const socket = config?.criSocket ?? PIPE;
    const pipe = socket
      .replace(/^npipe:/, '')
      .replaceAll('/', '\\')
      .replace(/^\\+/, '\\\\');
    try {
      await host.network.callUnix(pipe, '/runtime.v1.RuntimeService/Version', new Uint8Array(0), LIMIT_MS);
      return [];
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      const why = error.errno === 'ENOENT' ? 'is not there' : `cannot be asked (${error.errno})`;
      const message = `the container runtime's pipe ${socket} ${why}${await serviceOf(host, socket)}`;
      const remedy =
        'Register containerd as a service in the image (containerd --register-service) and start it.';
      return [preflightFinding('warning', 'ContainerRuntimeDown', message, { remedy })];
    }
  },
};

async function serviceOf(host: Host, socket: string): Promise<string> {
  if (!socket.endsWith('containerd-containerd')) return '';
  const state = await serviceState(host, 'containerd', LIMIT_MS);
  if (state === undefined) return '';
  if (state.get('LoadState') === 'not-found') return ', and there is no service containerd';
  if (state.get('LoadState') === 'masked') return ', and the service containerd is disabled';
  const status = state.get('ExecMainStatus');
  return `, and the service containerd is ${state.get('ActiveState')}${status === '0' ? '' : ` (${status})`}`;
}
