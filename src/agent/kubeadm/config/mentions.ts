import { parseInvocation } from './invocation.ts';

/**
 * Tells whether a shell text seems to bootstrap this machine with kubeadm, even if `liftKubeadm` cannot
 * accept it. It serves a warning, so it tends to say yes; but `kubeadm init phase ...`, `kubeadm join --help`
 * and lines that only print the words do not count. Never throws.
 */
export function mentionsKubeadmBootstrap(shell: string): boolean {
  for (const match of shell.matchAll(/(?<=^|[\s;&|(){}`"'=/])kubeadm["']?((?:[ \t]|\\\n)[^\n;|&]*)/g)) {
    const before =
      shell
        .slice(0, match.index)
        .split(/[\n;|&]/)
        .at(-1) ?? '';
    if (/^\s*(echo|printf|#)/.test(before)) continue;
    const words = (match[1] ?? '').split(/[\s\\"']+/).filter((word) => word !== '');
    const verb = words.findIndex((word) => word === 'init' || word === 'join');
    if (verb < 0 || words.slice(0, verb).some((word) => /^[a-z]/.test(word) && word !== 'init')) continue;
    if (parseInvocation(words.slice(verb)).kind === 'bootstrap') return true;
  }
  return false;
}
