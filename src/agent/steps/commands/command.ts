import { failure } from '../../engine/failure.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { Shared } from '../kind/shared.ts';
import type { Work } from '../kind/step-kind.ts';
import type { CommandShell } from '../shell/windows-commands.ts';
import { type CommandSpec, commandTitle } from './title.ts';

const KEPT_IN_JOURNAL = 3;
/** Exit statuses by which a command asks for another boot, as cloudbase-init has them. */
const REBOOT = 1001;
const AT_NEXT_BOOT = 1002;
const REBOOT_AND_AGAIN = 1003;

/**
 * A command of `runcmd`: one that fails is told and does not keep the next one from running, as in
 * cloud-init, unless the user data says `onError: stop`.
 */
export const runCommand: Work<CommandSpec> = (
  spec,
  { shell, afterFailedCommand, askReboot, runtimeStarted, callers },
) => ({
  onFailure: afterFailedCommand,
  ...(callers?.commands.has(spec.index) ? { provedBy: 'node' } : {}),
  attempts: 1,
  group: 'runcmd',
  run: async (context) => {
    await runtimeStarted(context.signal);
    return runInShell(shell, 'runcmd', spec, context, askReboot);
  },
  ahead: () => shell.begin(spec.index),
});

/** A command of `bootcmd`: the same, at every boot. */
export const runBootCommand: Work<CommandSpec> = (spec, { bootShell, afterFailedCommand }) => ({
  when: 'every-boot',
  onFailure: afterFailedCommand,
  attempts: 1,
  group: 'bootcmd',
  run: (context) => runInShell(bootShell, 'bootcmd', spec, context),
});

/** A script of every boot: the same, behind everything but the commands that run once. */
export const runBootScript: Work<CommandSpec> = (
  spec,
  { scriptShell, afterFailedCommand, runtimeStarted },
) => ({
  when: 'every-boot',
  onFailure: afterFailedCommand,
  attempts: 1,
  group: 'per-boot',
  run: async (context) => {
    await runtimeStarted(context.signal);
    return runInShell(scriptShell, 'per-boot', spec, context);
  },
});

async function runInShell(
  shell: CommandShell,
  list: string,
  spec: CommandSpec,
  { signal }: StepContext,
  askReboot?: Shared['askReboot'],
): Promise<StepResult> {
  const { index } = spec;
  const what = `The command "${commandTitle(list, spec)}"`;
  const end = await shell.run(index, signal);
  const status = end.exitStatus ?? 'unknown';
  const more = {
    ...(end.exitStatus === undefined ? {} : { exitStatus: end.exitStatus }),
    lines: end.lines.slice(-KEPT_IN_JOURNAL),
  };
  if (end.kind !== 'ended' && signal.aborted) {
    // The engine tells its own deadline from a request to stop; either way the command did not end by itself.
    const cause = `${what} was still running when the deadline passed, and was ended`;
    return { done: false, failure: failure('DeadlineExceeded', cause, more), retry: 'until-deadline' };
  }
  if (end.kind === 'not-begun') {
    const cause = `${what} was not run, nor those after it: there is no shell that starts (/bin/sh, exit status ${status})`;
    return { done: false, failure: failure('ToolMissing', cause, more), retry: 'no' };
  }
  if (end.kind === 'shell-ended' && !(end.exitStatus === 0 && shell.isLast(index))) {
    const cause = `${what} ended the shell (exit status ${status}), so the commands after it were not run`;
    return { done: false, failure: failure('CommandEndedScript', cause, more), retry: 'no' };
  }
  if (end.exitStatus === 0) return { done: true };
  const asked = askReboot === undefined ? undefined : end.exitStatus;
  if (asked === REBOOT || asked === REBOOT_AND_AGAIN || asked === AT_NEXT_BOOT) {
    askReboot?.(asked === AT_NEXT_BOOT ? 'by-others' : 'now');
    if (asked === REBOOT) return { done: true, message: 'it asked for a reboot' };
    const cause = `${what} asked ${asked === AT_NEXT_BOOT ? '' : 'for a reboot, and '}to be run again at the next boot`;
    return { done: false, failure: failure('Interrupted', cause, more), retry: 'yes' };
  }
  return {
    done: false,
    failure: failure('CommandFailed', `${what} ended with exit status ${status}`, more),
    retry: 'no',
  };
}
