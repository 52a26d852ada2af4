import { posix } from 'node:path';
import { type Host, HostError } from '../../../host/host.ts';
import { showUnits, type UnitProperties } from '../../../host/show-units.ts';
import { DEFAULT_SOCKETS, socketPath } from '../../../kubeadm/config/kubelet/node-registration.ts';
import { type Check, isBefore, type PreflightFinding, preflightFinding, type Task } from '../check.ts';
import { someUnitStartsRuntime } from './runtime-units.ts';

/** The unit that listens at a socket of this name. */
const UNITS: Readonly<Record<string, string>> = {
  'containerd.sock': 'containerd.service',
  'crio.sock': 'crio.service',
  'cri-dockerd.sock': 'cri-docker.service',
};
const LIMIT_MS = 900;
const ASK_MS = 800;
const STATE = ['Id', 'LoadState', 'UnitFileState', 'ActiveState', 'Job'];
const OK = 0;
const UNIMPLEMENTED = 12;

/** Checks that the runtime's socket exists and speaks a version of CRI that the kubelet speaks. */
export const containerRuntime: Check = {
  name: 'container runtime',
  async run(host, task) {
    const criSocket = task.config?.criSocket;
    const configured = criSocket === undefined ? undefined : socketPath(criSocket);
    // Docker through the kubelet's own shim, up to 1.23: before the kubelet runs, there is no socket to ask.
    if (configured?.endsWith('dockershim.sock')) return [];
    const mayUseDocker = task.kubeadmMinor === undefined || isBefore(task, 24);
    const hasDocker = mayUseDocker && (await host.files.stat('/var/run/docker.sock')) !== undefined;
    if (configured === undefined && hasDocker) return [];
    if (configured !== undefined) return ask(host, task, configured);
    const there: string[] = [];
    for (const path of DEFAULT_SOCKETS) if ((await host.files.stat(path)) !== undefined) there.push(path);
    if (there.length === 1) return ask(host, task, there[0] ?? '');
    if (there.length === 0) {
      const asked = (await showUnits(host, Object.values(UNITS), STATE, ASK_MS)) ?? [];
      const installed = asked.filter((unit) => unit.get('LoadState') !== 'not-found');
      const names = installed.map((unit) => unit.get('Id') ?? '');
      const mayBe =
        (mayUseDocker && (await isDockerInstalled(host))) ||
        (await host.files.stat('/var/run/docker.sock')) !== undefined;
      const never = !mayBe && installed.length > 0 && installed.every(isMasked);
      if (never && !(await hasOther(host, names))) return neverStarts(names);
      const message = `there is no container runtime: none of ${DEFAULT_SOCKETS.join(', ')} exists`;
      return [preflightFinding('fatal', 'ContainerRuntimeDown', message, { kubeadmCheck: 'CRI' })];
    }
    const message = `there are several container runtimes (${there.join(', ')}), and the configuration does not choose one`;
    return [
      preflightFinding('warning', 'ContainerRuntimeUnsuitable', message, {
        remedy: 'Set nodeRegistration.criSocket.',
      }),
    ];
  },
};

async function ask(host: Host, task: Task, socket: string): Promise<PreflightFinding[]> {
  const check = { kubeadmCheck: 'CRI' };
  const unit = UNITS[posix.basename(socket)];
  const down = (why: string, remedy = lookAt(unit)) => {
    const more = { ...check, ...(remedy === undefined ? {} : { remedy }) };
    return [
      preflightFinding('fatal', 'ContainerRuntimeDown', `the container runtime at ${socket} ${why}`, more),
    ];
  };
  try {
    const newest = await version(host, socket, 'runtime.v1.RuntimeService');
    if (newest.status === OK) return [];
    if (newest.status !== UNIMPLEMENTED) return down(`answers with an error: ${newest.statusMessage}`);
    const older = await version(host, socket, 'runtime.v1alpha2.RuntimeService');
    if (older.status === UNIMPLEMENTED) {
      const message = `the server at ${socket} does not speak CRI; containerd's CRI plugin may be disabled`;
      return [preflightFinding('fatal', 'ContainerRuntimeUnsuitable', message, check)];
    }
    // Since 1.26 the kubelet speaks only v1.
    const tooOld = older.status === OK && task.kubeadmMinor !== undefined && !isBefore(task, 26);
    const message = `the container runtime at ${socket} speaks CRI v1alpha2 only, and Kubernetes 1.26 and later need v1`;
    return tooOld ? [preflightFinding('fatal', 'ContainerRuntimeUnsuitable', message, check)] : [];
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const state = unit === undefined ? undefined : await startOf(host, unit);
    if (state === 'masked') return neverStarts([unit ?? '']);
    const words: Record<string, string> = {
      ENOENT: 'has no socket',
      ECONNREFUSED: 'does not listen',
      ETIMEDOUT: `does not answer within ${LIMIT_MS / 1000} s`,
    };
    const why = words[error.errno] ?? `cannot be asked (${error.errno})`;
    return state === 'disabled'
      ? down(
          `${why}: ${unit} is disabled, and nothing has started it`,
          `Enable it in the image (systemctl enable ${unit}), or start it in a command before kubeadm.`,
        )
      : down(why);
  }
}

/** The table's remedy is containerd's. */
function lookAt(unit: string | undefined): string | undefined {
  const name = unit?.replace(/\.service$/, '');
  return name === undefined || name === 'containerd'
    ? undefined
    : `Check systemctl status ${name} and journalctl -u ${name}; check nodeRegistration.criSocket.`;
}

/** It has a unit of its own, or snap's, and may start late. */
async function isDockerInstalled({ processes, files }: Host): Promise<boolean> {
  for (const program of ['dockerd', 'docker'])
    if ((await processes.which(program)) !== undefined) return true;
  return (await files.stat('/snap/bin/docker')) !== undefined;
}

/** Whoever ignores kubeadm's check does not have a runtime by that. */
function neverStarts(masked: readonly string[]): PreflightFinding[] {
  const remedy = `Unmask it in the image: systemctl unmask ${masked.join(' ')}`;
  const units = masked.length === 1 ? `unit ${masked[0]} is` : `units ${masked.join(' and ')} are`;
  const message = `nothing starts the container runtime: the systemd ${units} masked`;
  return [preflightFinding('fatal', 'ContainerRuntimeDown', message, { remedy, isPermanent: true })];
}

const rests = (unit: UnitProperties): boolean =>
  ['inactive', 'failed'].includes(unit.get('ActiveState') ?? '') && Number(unit.get('Job') ?? 0) === 0;

/** A masked unit does not unmask itself; one that was masked only until the next boot, somebody may unmask. */
const isMasked = (unit: UnitProperties): boolean =>
  unit.get('LoadState') === 'masked' && unit.get('UnitFileState') === 'masked' && rests(unit);

/** Has the machine another unit that may make the same socket: one with the runtime's name in its own, or in what it starts? */
async function hasOther(host: Host, masked: readonly string[]): Promise<boolean> {
  const alike = masked.map((unit) => `*${unit.replace(/^crio/, 'cri*o').replace(/\.service$/, '*.service')}`);
  const asked = await showUnits(host, alike, STATE, ASK_MS);
  if (asked === undefined || asked.some((unit) => unit.get('LoadState') !== 'masked')) return true;
  return someUnitStartsRuntime(host, masked);
}

/** Where it is masked, kubeadm cannot succeed; a disabled one may be another unit's to start. */
async function startOf(host: Host, unit: string): Promise<'masked' | 'disabled' | undefined> {
  const [shown] = (await showUnits(host, [unit], STATE, ASK_MS)) ?? [];
  if (shown === undefined) return undefined;
  if (isMasked(shown)) return (await hasOther(host, [unit])) ? undefined : 'masked';
  return rests(shown) && shown.get('UnitFileState') === 'disabled' ? 'disabled' : undefined;
}

/** An empty VersionRequest has no bytes at all. */
function version(host: Host, socket: string, service: string) {
  return host.network.callUnix(socket, `/${service}/Version`, new Uint8Array(0), LIMIT_MS);
}
