import { type LiftedKubeadm, liftKubeadm } from '../../cloud-config/commands/lift.ts';

/** `kubeadm.sh` of Cluster API, taken apart. */
export interface KubeadmScript {
  /** What runs before kubeadm, without its first line. */
  before: string;
  call: LiftedKubeadm;
  /** From 0. */
  callLine: number;
  /** What runs after kubeadm and the sentinel. */
  after: string;
}

const BASH = /^#! *(?:\/usr)?\/bin\/(?:env +)?bash *$/;
const SENTINEL_LINE = /^(?:mkdir -p \S+ && )?echo success > (\/[A-Za-z0-9_./-]+)$/;

/**
 * Takes apart the script that Cluster API's kubeadm provider writes (its template `kubeadm.sh` for
 * Ignition): commands, the call of kubeadm, the line of the sentinel, more commands.
 *
 * @returns undefined for a script that is not certainly this one
 */
export function parseKubeadmScript(text: string): KubeadmScript | undefined {
  const lines = text.split('\n');
  if (!BASH.test(lines[0] ?? '')) return undefined;
  const calls = lines.flatMap((line, index) => {
    const call = liftKubeadm(line);
    return call === undefined ? [] : [{ call, index }];
  });
  const [only, ...others] = calls;
  if (only === undefined || others.length > 0) return undefined;
  const sentinel = SENTINEL_LINE.exec(lines[only.index + 1] ?? '')?.[1];
  const rest = lines.slice(only.index + (sentinel === undefined ? 1 : 2));
  // Without the line behind it, success is told by kubeadm's line itself, or by nobody.
  const call = sentinel === undefined ? only.call : { ...only.call, sentinel };
  return {
    before: lines.slice(1, only.index).join('\n'),
    call,
    callLine: only.index,
    after: rest.join('\n'),
  };
}

/** Does a piece of the script do anything at all? */
export function hasEffect(text: string): boolean {
  return text.split('\n').some((line) => !/^\s*(?:#.*|set -e)?\s*$/.test(line));
}
