/**
 * Gathers evidence after a failure, through the host only: everything at the same time, each within a second, all within
 * a second and a half. What is slow or not there is noted as missing; nothing here fails.
 */
import type { Host } from '../../host/host.ts';
import { showUnits } from '../../host/show-units.ts';
import { readApiServer } from './api-server.ts';
import type { Evidence, UnitState } from './evidence.ts';
import { NO_EVIDENCE } from './evidence.ts';
import { isOlder } from './is-older.ts';
import { parseDisks, parseJournal, parseListeners, parseMemory, parseSwaps, unitState } from './parse.ts';
import { type LogMarks, readStaticPods } from './static-pods.ts';

/** The parts of the evidence; a diagnosis asks only for those that can change it. */
export type Part = 'kubelet' | 'runtime' | 'static pods' | 'machine' | 'API server' | 'listeners';

interface GatherSpec {
  parts: readonly Part[];
  /** Lines of the kubelet and the runtime that were followed since the attempt began; the journal is not asked then. */
  followed?: { kubelet: string[]; runtime: string[] };
  /** When the attempt began: what the units wrote before is no evidence. Undefined: all of this boot is. */
  since?: Date;
  /** `host:port` of the API server, where it is known. */
  endpoint?: string;
  criSocket?: string;
  /** Where the logs of static pods stood when the attempt began. */
  marks?: LogMarks;
}

const PART_MS = 1_200;
const ALL_MS = 1_500;
const JOURNAL_LINES = 400;
const UNITS = ['kubelet.service', 'containerd.service', 'crio.service'];
const RUNTIMES = ['containerd', 'crio'];
const PROPERTIES = ['Id', 'LoadState', 'ActiveState', 'SubState', 'Result', 'NRestarts', 'ExecMainStatus'];
const PATHS = [
  '/',
  '/var/lib/kubelet',
  '/var/lib/containerd',
  '/var/lib/etcd',
  '/etc/kubernetes',
  '/var/log',
];

type Work = () => Promise<Partial<Evidence>>;

export async function gatherEvidence(host: Host, spec: GatherSpec): Promise<Evidence> {
  const { parts, followed, since, endpoint, criSocket, marks } = spec;
  const evidence: Evidence = { ...NO_EVIDENCE, missing: [] };
  if (followed) Object.assign(evidence, { kubeletLog: followed.kubelet, runtimeLog: followed.runtime });
  const works: [name: string, work: Work][] = [];
  const has = (part: Part): boolean => parts.includes(part);
  if (has('kubelet') && !followed)
    works.push(["the kubelet's log", () => unitLog(host, ['kubelet'], 'kubeletLog', since)]);
  if (has('runtime') && !followed)
    works.push(["the container runtime's log", () => unitLog(host, RUNTIMES, 'runtimeLog', since)]);
  if (has('kubelet') || has('runtime')) works.push(['the state of the services', () => unitStates(host)]);
  let lastRun: string[] = [];
  if (has('runtime') && since !== undefined)
    works.push([
      "the container runtime's last run",
      async () => {
        lastRun = sinceLastStart((await unitLog(host, RUNTIMES, 'runtimeLog')).runtimeLog ?? []);
        return {};
      },
    ]);
  if (has('static pods'))
    works.push([
      'the static pods',
      async () => ({ staticPods: await readStaticPods(host, criSocket, PART_MS, marks) }),
    ]);
  if (has('machine')) {
    works.push(
      ['disk space', () => disks(host)],
      ['memory and swap', () => memory(host)],
      ['the kernel log', () => kernel(host)],
    );
  }
  if (has('listeners')) works.push(['who listens', () => listeners(host)]);
  if (has('API server') && endpoint !== undefined)
    works.push(['the API server', async () => ({ apiServer: await readApiServer(host, endpoint, PART_MS) })]);

  const timer = new AbortController();
  const late = host.clock.sleep(ALL_MS, timer.signal).then(
    () => 'late' as const,
    () => 'late' as const,
  );
  await Promise.all(
    works.map(async ([name, work]) => {
      const result = await Promise.race([work().catch(() => undefined), late]);
      if (result === undefined || result === 'late') evidence.missing.push(name);
      else Object.assign(evidence, result);
    }),
  );
  timer.abort();
  // Why it is down it may have said before the attempt: nothing has happened to it since.
  if (lastRun.length > 0 && isDown(evidence.units)) evidence.runtimeLog = lastRun;
  return evidence;
}

/** A runtime has ended that systemd did not stop, and no other runs: beside CRI-O, say, nobody needs a broken containerd. */
function isDown(units: readonly UnitState[]): boolean {
  const runtimes = units.filter(({ name }) => RUNTIMES.some((runtime) => name === `${runtime}.service`));
  const ended = runtimes.some(({ result }) => result !== 'success' && result !== '');
  return ended && runtimes.every(({ active }) => active !== 'active');
}

/** With its end: a start that was only just begun has no words yet. */
function sinceLastStart(lines: string[]): string[] {
  return lines.slice(
    lines.slice(0, -1).findLastIndex((line) => /^Starting .*(?:containerd|crio)/.test(line)) + 1,
  );
}

async function output(
  host: Host,
  argv: [string, ...string[]],
  accept: readonly number[] = [0],
): Promise<string> {
  const result = await host.processes.run({ argv, env: { LC_ALL: 'C' }, timeoutMs: PART_MS });
  if (!accept.includes(result.exitStatus)) throw new Error(`${argv[0]} ended with ${result.exitStatus}`);
  return result.stdout;
}

async function unitLog(
  host: Host,
  units: string[],
  field: 'kubeletLog' | 'runtimeLog',
  since?: Date,
): Promise<Partial<Evidence>> {
  const text = await output(host, [
    'journalctl',
    ...units.flatMap((unit) => ['-u', unit]),
    ...(since === undefined ? [] : [`--since=@${Math.floor(since.getTime() / 1000)}`]),
    ...['-b', '-o', 'short', '--no-pager', '-q', '-n', String(JOURNAL_LINES)],
  ]);
  const lines = parseJournal(text).map((line) => line.text);
  return { [field]: since === undefined ? lines : lines.filter((line) => !isOlder(line, since)) };
}

async function unitStates(host: Host): Promise<Partial<Evidence>> {
  const units = await showUnits(host, UNITS, PROPERTIES, PART_MS);
  if (units === undefined) throw new Error('systemd does not answer');
  return { units: units.filter((unit) => unit.has('Id')).map(unitState) };
}

/** df ends with 1 when a path is not there, and still tells the others. */
async function disks(host: Host): Promise<Partial<Evidence>> {
  return { disks: parseDisks(await output(host, ['df', '-Pk', ...PATHS], [0, 1])) };
}

async function memory(host: Host): Promise<Partial<Evidence>> {
  const read = async (path: string): Promise<string> =>
    (await host.files.readIfPresent(path, 64 * 1024))?.toString('utf8') ?? '';
  const available = parseMemory(await read('/proc/meminfo'));
  return {
    swapDevices: parseSwaps(await read('/proc/swaps')),
    ...(available === undefined ? {} : { memoryAvailable: available }),
  };
}

async function kernel(host: Host): Promise<Partial<Evidence>> {
  const text = await output(host, ['journalctl', '-k', '-b', '-o', 'short', '--no-pager', '-q', '-n', '500']);
  return {
    outOfMemory: parseJournal(text)
      .map((line) => line.text)
      .filter((line) => /Out of memory: Kill|Memory cgroup out of memory: Kill/.test(line))
      .slice(-3),
  };
}

async function listeners(host: Host): Promise<Partial<Evidence>> {
  return { listeners: parseListeners(await output(host, ['ss', '-Hltnp'])) };
}
