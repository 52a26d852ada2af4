import type { Host } from '../../../host/host.ts';
import { kubeadmEnvironment } from '../../run/real-kubeadm.ts';

const LIMIT_MS = 10_000;

/** A name that no release of kubeadm will ever give to a phase. */
const NO_PHASE = 'slipway-asks-which-phases-there-are';

/** The phases that the installed kubeadm shows; empty when it does not say. Changes nothing on the machine. */
export async function discoverPhases(host: Host, path: string, verb: 'init' | 'join'): Promise<Phase[]> {
  const { exitStatus, stdout } = await host.processes.run({
    argv: [path, verb, '--help'],
    env: kubeadmEnvironment(),
    timeoutMs: LIMIT_MS,
  });
  return exitStatus === 0 ? parsePhases(stdout) : [];
}

/**
 * Those of `names` that the installed kubeadm knows as phases, shown or hidden. kubeadm does not begin if it is told to
 * skip a phase that it does not know, and it names the first such phase. So a question with a surely unknown name at the
 * end tells whether kubeadm knows the name in front, and never runs anything.
 */
export async function knownPhases(
  host: Host,
  { path, verb, args }: { path: string; verb: 'init' | 'join'; args: readonly string[] },
  names: readonly string[],
): Promise<string[]> {
  const known: string[] = [];
  for (const name of names) {
    const { stderr } = await host.processes.run({
      argv: [path, verb, ...args, `--skip-phases=${name},${NO_PHASE}`],
      env: kubeadmEnvironment(),
      timeoutMs: LIMIT_MS,
    });
    if (stderr.includes(`invalid phase name: ${NO_PHASE}`)) known.push(name);
  }
  return known;
}

/** A phase of a kubeadm, from its own help: no release's list is written down here. */
export interface Phase {
  /** e.g. `kubelet-start`, `control-plane-join/etcd`; as `--skip-phases` takes it and errors name it. */
  path: string;
  /** It consists of the phases that follow with its name in front. */
  group: boolean;
}

const HEADING = /command executes the following phases/;
const ENTRY = /^( *)(\/?)([a-z0-9][a-z0-9.-]*)(?:$|\s{2,}|\t)/;

/**
 * Reads the list that `kubeadm init --help` and `kubeadm join --help` print, in the order in which phases run. Phases that
 * kubeadm hides are not in it. Empty when there is no such list; a line that is no entry is passed over. Never throws.
 */
export function parsePhases(help: string): Phase[] {
  const lines = help.split(/\r?\n/);
  const start = lines.findIndex((line) => HEADING.test(line));
  if (start < 0) return [];
  const phases: Phase[] = [];
  let parent: Phase | undefined;
  for (const line of lines.slice(start + 1)) {
    if (/^```/.test(line) || line.trim() === '') {
      if (phases.length > 0) break;
      continue;
    }
    const [, indent = '', slash, name = ''] = ENTRY.exec(line) ?? [];
    if (name === '') continue;
    if (slash === '/' && parent !== undefined) {
      parent.group = true;
      phases.push({ path: `${parent.path}/${name}`, group: false });
    } else if (slash !== '/' && indent === '') {
      parent = { path: name, group: false };
      phases.push(parent);
    }
  }
  return phases;
}
