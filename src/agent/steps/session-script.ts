/**
 * The shell script that runs a list of commands in one shell, as cloud-init's `runcmd` does: variables, functions,
 * `cd`, `set -e` and `exit` act on the commands that follow. Between two commands it notes how the last one ended, saves
 * its environment, and waits for leave to go on; so each command's outcome is known and journalled before the next one
 * starts, and a killed agent that comes back finds the shell where it was.
 */
export interface ScriptItem {
  /** Undefined stands for the place where the agent runs kubeadm itself. */
  shell: string | undefined;
}

/**
 * @param directory where the shell keeps `marks` (what happened), `env` and `cwd` (its state) and the pipe `go`
 * @param first index of the first item to run; earlier ones were run by an earlier shell
 */
export function sessionScript(directory: string, items: readonly ScriptItem[], first: number): string {
  const lines = [prologue(directory)];
  for (let index = first; index < items.length; index += 1) {
    const ended = index === first ? '' : `${index - 1}`;
    lines.push(`__slipway_next "$?" "${ended}" ${index}`, items[index]?.shell ?? '__slipway_answer && :', '');
  }
  lines.push(`__slipway_end "$?" ${items.length - 1}`);
  return `${lines.join('\n')}\n`;
}

// The function gives back the last status, so that a command may look at `$?` as it could in cloud-init's script; not
// under `set -e`, where that would end the shell. The blank line after each command ends one with a trailing backslash.
const prologue = (directory: string) => `#!/bin/sh
__slipway_dir='${directory}'
__slipway_end() {
  export -p >"$__slipway_dir/env.new" && mv -f "$__slipway_dir/env.new" "$__slipway_dir/env"
  pwd >"$__slipway_dir/cwd"
  [ -z "$2" ] || printf 'end %s %s\\n' "$2" "$1" >>"$__slipway_dir/marks"
}
__slipway_next() {
  __slipway_end "$1" "$2"
  printf 'wait %s\\n' "$3" >>"$__slipway_dir/marks"
  IFS= read -r __slipway_go <"$__slipway_dir/go"
  printf 'run %s\\n' "$3" >>"$__slipway_dir/marks"
  case $- in *e*) return 0 ;; *) return "$1" ;; esac
}
__slipway_answer() { return "\${__slipway_go#status }"; }
if [ -r "$__slipway_dir/env" ]; then . "$__slipway_dir/env"; fi
if [ -r "$__slipway_dir/cwd" ]; then cd "$(cat "$__slipway_dir/cwd")"; fi
rm -f "$__slipway_dir/go"; mkfifo "$__slipway_dir/go" || exit 126
(exit 0)`;

/** What the marks tell of each item. */
export interface Marks {
  /** Exit status by item. */
  ended: Map<number, number>;
  /** The item that the shell waits for leave to run. */
  waiting?: number;
  /** The item under way. */
  running?: number;
}

export function parseMarks(text: string): Marks {
  const ended = new Map<number, number>();
  let waiting: number | undefined;
  let running: number | undefined;
  for (const line of text.split('\n')) {
    const match = /^(end|wait|run) (\d+)(?: (\d+))?$/.exec(line);
    if (!match) continue;
    const index = Number(match[2]);
    if (match[1] === 'end') ended.set(index, Number(match[3]));
    waiting = match[1] === 'wait' ? index : undefined;
    running = match[1] === 'run' ? index : undefined;
  }
  return {
    ended,
    ...(waiting === undefined ? {} : { waiting }),
    ...(running === undefined ? {} : { running }),
  };
}
