import { parseInvocation } from './invocation.ts';

/** A list of words, as Python and JSON write it: `["kubeadm", "join", ...`. */
const AS_LIST = /["'](?:\/[^"'\s]{0,500}\/)?kubeadm["'],\s{0,100}["'](?:init|join)["']/;
/** A variable that holds the program: `$KUBEADM join`. */
const BY_VARIABLE =
  /\$\{?KUBEADM(?:_\w{0,50})?\}?["']?[ \t]{1,100}(?:init|join)\b(?![ \t]{1,100}(?:phase|--help|-h)\b)/;

/**
 * Tells whether a shell text seems to bootstrap this machine with kubeadm, even if `liftKubeadm` cannot
 * accept it. It serves a warning, so it tends to say yes; but `kubeadm init phase ...`, `kubeadm join --help`
 * and lines that only print the words do not count. Never throws.
 */
export function mentionsKubeadmBootstrap(shell: string): boolean {
  // Mostly it has no such word, and V8 compiles a pattern when it is asked for the first time.
  if (!shell.includes('kubeadm')) return shell.includes('KUBEADM') && BY_VARIABLE.test(shell);
  if (AS_LIST.test(shell) || BY_VARIABLE.test(shell)) return true;
  // Each place is looked at once, however many calls stand in one text.
  let [begin, seen] = [0, 0];
  for (const match of shell.matchAll(
    /(?<=^|[\s;&|(){}`"'=/\\])kubeadm(?:\.exe)?["']?((?:[ \t]|\\\n)[^\n;|&]*)/g,
  )) {
    const between = shell.slice(seen, match.index);
    const separator = Math.max(...['\n', ';', '|', '&'].map((sign) => between.lastIndexOf(sign)));
    if (separator !== -1) begin = seen + separator + 1;
    seen = match.index;
    if (/^\s*(echo|printf|#)/.test(shell.slice(begin, match.index))) continue;
    const words = (match[1] ?? '').split(/[\s\\"']+/).filter((word) => word !== '');
    const verb = words.findIndex((word) => word === 'init' || word === 'join');
    if (verb < 0 || words.slice(0, verb).some((word) => /^[a-z]/.test(word) && word !== 'init')) continue;
    if (parseInvocation(words.slice(verb)).kind === 'bootstrap') return true;
  }
  return false;
}
