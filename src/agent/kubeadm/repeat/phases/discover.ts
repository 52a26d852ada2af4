import type { Host } from '../../../host/host.ts';
import { kubeadmEnvironment } from '../../run/real-kubeadm.ts';
import { type Phase, parsePhases } from './parse-help.ts';

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
