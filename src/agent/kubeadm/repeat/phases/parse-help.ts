/** Which phases a kubeadm has, from its own help: no release's list is written down here. */

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
