/** Follows the journal of the kubelet and the container runtime while kubeadm runs. */
import type { Host } from '../../host/host.ts';
import { isOlder } from './is-older.ts';
import { parseJournal } from './parse.ts';

/** So many lines of each are kept; a kubelet that dies of an unknown flag prints some hundred. */
const KEPT = 800;

export interface UnitFollower {
  /** When following began. */
  begun: Date;
  kubelet: readonly string[];
  runtime: readonly string[];
  /** False where there is no journal to follow, or following began in the middle of an attempt. */
  complete(): boolean;
  /** Forgets the kubelet's lines until now: they were of before kubeadm started it. */
  forgetKubelet(): void;
  stop(): void;
}

/** Starts at once; needs one `journalctl -f`, which costs nothing while nothing is logged. Never throws. */
export function followUnits(host: Host, onKubeletLine: (line: string) => void): UnitFollower {
  const controller = new AbortController();
  let running = true;
  const begun = host.clock.now();
  const kubelet: string[] = [];
  const runtime: string[] = [];
  const keep = (list: string[], line: string): void => {
    list.push(line);
    if (list.length > KEPT) list.shift();
  };
  const units = ['kubelet', 'containerd', 'crio'].flatMap((unit) => ['-u', unit]);
  void host.processes
    .run({
      argv: ['journalctl', '-f', '-n', '0', '-o', 'short', '--no-pager', '-q', ...units],
      env: { LC_ALL: 'C' },
      signal: controller.signal,
      keepBytes: 1024,
      onLine: (raw, stream) => {
        const [line] = stream === 'stdout' ? parseJournal(raw) : [];
        if (line === undefined) return;
        if (isOlder(line.text, begun)) return;
        if (line.program === 'kubelet' || line.text.startsWith('kubelet.service')) {
          keep(kubelet, line.text);
          onKubeletLine(line.text);
        } else keep(runtime, line.text);
      },
    })
    .then(() => {
      running = false;
    });
  return {
    begun,
    kubelet,
    runtime,
    complete: () => running,
    forgetKubelet: () => {
      kubelet.length = 0;
    },
    stop: () => controller.abort(),
  };
}
