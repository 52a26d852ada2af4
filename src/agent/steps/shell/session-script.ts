/**
 * The shell script that runs a list of commands in one shell, as cloud-init's `runcmd` does: variables,
 * functions, `cd`, `set -e` and `exit` act on the commands that follow. Between two commands it notes how the
 * last one ended, saves its environment, and waits for leave to go on; so each command's outcome is known and
 * journalled before the next one starts, and a killed agent that comes back finds the shell where it was.
 */
import { omitUndefined } from '../../../kit/json.ts';
import { stateAfter, takeOver } from './shell-state.ts';

export interface ScriptItem {
  /** Undefined stands for the place where the agent runs kubeadm itself. */
  shell: string | undefined;
}

/**
 * @param directory where the shell keeps `marks` (what happened), its state after each item (see
 *   `shell-state.ts`), and the pipe `go`; it begins with the state that an earlier shell left
 * @param first index of the first item to run; earlier ones were run by an earlier shell
 * @param find lines by which commands find programs that the image has not
 */
export function sessionScript(
  directory: string,
  items: readonly ScriptItem[],
  first: number,
  find: string,
): string {
  const lines = [prologue(directory, find)];
  for (let index = first; index < items.length; index += 1) {
    const { env, cwd } = stateAfter(index - 1);
    const ended = index === first ? '' : ` ${index - 1} ${env} ${cwd}`;
    lines.push(`__slipway_next "$?" ${index}${ended}`, items[index]?.shell ?? '__slipway_answer && :', '');
  }
  // A word of its own, by which it is known where a command's unclosed quotation takes it for text.
  lines.push(`__slipway_end "$?" ${items.length - 1}`);
  return `${lines.join('\n')}\n`;
}

// The function returns the last status, so that a command may look at `$?` as in cloud-init's script; not
// under `set -e`, where a status would end the shell. The blank line after each command ends one with a
// trailing backslash. The shell starts no program between two commands: a process costs more than all the
// rest. It opens the pipe before it says that it waits, so whoever reads the mark finds a reader. It opens it
// for reading and writing, so no agent's death ends it. A word names its item, so one that comes late, after
// another agent's, gives no leave to the next item. `leave`: nobody runs this item any more. A state that it could not save whole does not count.
const prologue = (directory: string, find: string) => `#!/bin/sh
__slipway_dir='${directory}'
__slipway_next() {
  if [ -n "\${3-}" ]; then
    __slipway_export >|"$__slipway_dir/$4" || : >|"$__slipway_dir/$4"
    pwd >|"$__slipway_dir/$5" || : >|"$__slipway_dir/$5"
    __slipway_go="end $3 $1
"
  else
    __slipway_go=
  fi
  {
    printf '%swait %s\\n' "$__slipway_go" "$2" >>"$__slipway_dir/marks"
    until [ "\${__slipway_go%% *}" = "$2" ]; do IFS= read -r __slipway_go || exit 126; done
  } <>"$__slipway_dir/go" || exit 126
  [ "$__slipway_go" != "$2 leave" ] || exit 0
  printf 'run %s\\n' "$2" >>"$__slipway_dir/marks"
  case $- in *e*) return 0 ;; *) return "$1" ;; esac
}
__slipway_export() { export -p; }
# What bash writes by itself, no other shell reads.
if [ -n "\${BASH_VERSION-}" ]; then __slipway_export() ( set -o posix; export -p ); fi
__slipway_end() { printf 'end %s %s\\n' "$2" "$1" >>"$__slipway_dir/marks"; }
__slipway_answer() { return "\${__slipway_go##* }"; }
${takeOver('$__slipway_dir')}
${find}mkfifo "$__slipway_dir/go" || exit 126
:`;

/** What the marks tell of each item. */
export interface Marks {
  /** Exit status by item. */
  ended: Map<number, number>;
  /** The item that the shell waits for leave to run. */
  waiting?: number;
  /** The item under way. */
  running?: number;
}

/** Undefined where it is none. Once a boot or twice, so a pattern would cost more to compile than it saves. */
function count(text: string | undefined): number | undefined {
  const value = Number(text || undefined);
  return Number.isSafeInteger(value) && String(value) === text ? value : undefined;
}

/** Ignores a last line that is not whole yet. */
export function parseMarks(text: string): Marks {
  const ended = new Map<number, number>();
  let waiting: number | undefined;
  let running: number | undefined;
  for (const line of text.split('\n').slice(0, -1)) {
    const [what, item, status, ...more] = line.split(' ');
    const index = count(item);
    const isMark = what === 'end' ? count(status) !== undefined : what === 'wait' || what === 'run';
    if (index === undefined || !isMark || more.length > 0) continue;
    if (what === 'end') ended.set(index, Number(status));
    waiting = what === 'wait' ? index : undefined;
    running = what === 'run' ? index : undefined;
  }
  return {
    ended,
    ...omitUndefined({ waiting, running }),
  };
}
