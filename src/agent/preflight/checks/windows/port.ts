import { windowsProgram } from '../../../host/windows-program.ts';
import type { Check } from '../check.ts';
import { preflightFinding } from '../check.ts';

const KUBELET = 10_250;
const ASK_MS = 5_000;

/** The kubelet's port must be free; Windows makes no control planes. Our own earlier attempt may hold it. */
export const kubeletPort: Check = {
  name: 'ports',
  async run(host, { attempted }) {
    if (attempted) return [];
    const argv = [windowsProgram(host, 'netstat.exe'), '-a', '-n', '-o', '-p', 'TCP'] as const;
    const { stdout } = await host.processes.run({ argv: [...argv], timeoutMs: ASK_MS });
    const pid = listenerOf(stdout, KUBELET);
    if (pid === undefined) return [];
    const check = { kubeadmCheck: `Port-${KUBELET}` };
    return [preflightFinding('fatal', 'PortInUse', `port ${KUBELET} is in use by the process ${pid}`, check)];
  },
};

/**
 * The process that listens on a port: Windows translates the word LISTENING, but whoever listens has no other side, and
 * netstat shows that as port 0.
 */
export function listenerOf(netstat: string, port: number): string | undefined {
  for (const line of netstat.split(/\r?\n/)) {
    const [, local, pid] = /^\s*TCP\s+\S*:(\d+)\s+\S+:0\s+.*?(\d+)\s*$/.exec(line) ?? [];
    if (Number(local) === port) return pid;
  }
  return undefined;
}
