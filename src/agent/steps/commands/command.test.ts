import { expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { StepContext } from '../../engine/step.ts';
import type { Shared } from '../kind/shared.ts';
import type { CommandEnd, ShellSession } from '../shell/shell-session.ts';
import { runBootCommand, runCommand } from './command.ts';
import type { CommandSpec } from './title.ts';

const SPEC: CommandSpec = {
  index: 1,
  command: { kind: 'command', program: 'sh', shell: sensitive('sh --password hunter2') },
};

function shared(end: CommandEnd): Shared {
  const shell = { run: async () => end, isLast: () => false } as Partial<ShellSession> as ShellSession;
  return { shell, bootShell: shell, runtimeStarted: async () => undefined } as Partial<Shared> as Shared;
}

const context = { signal: new AbortController().signal } as Partial<StepContext> as StepContext;

it('names the command in the verdict, without its arguments', async () => {
  const failed = shared({ kind: 'ended', exitStatus: 7, lines: [] });
  const over = shared({ kind: 'shell-ended', exitStatus: 1, lines: [] });
  expect(await runCommand(SPEC, failed).run(context)).toMatchObject({
    failure: { code: 'CommandFailed', cause: 'The command "runcmd 2 (sh)" ended with exit status 7.' },
  });
  expect(await runBootCommand(SPEC, over).run(context)).toMatchObject({
    failure: {
      code: 'CommandEndedScript',
      cause: expect.stringContaining('"bootcmd 2 (sh)" ended the shell (exit status 1)'),
    },
  });
});

it('says that there is no shell, and blames no command', async () => {
  const none = shared({ kind: 'not-begun', exitStatus: 127, lines: ['chroot: no such file'] });
  expect(await runCommand(SPEC, none).run(context)).toMatchObject({
    failure: {
      code: 'ToolMissing',
      cause: expect.stringMatching(/^The command "runcmd 2 \(sh\)" was not run.*shell/),
    },
    retry: 'no',
  });
});

it('takes an exit status of cloudbase-init for a wish only where it is called for that', async () => {
  const asked: string[] = [];
  const told = async (exitStatus: number, isCalled: boolean) => {
    const askReboot = isCalled ? { askReboot: (when: string) => asked.push(when) } : {};
    const result = await runCommand(SPEC, {
      ...shared({ kind: 'ended', exitStatus, lines: [] }),
      ...askReboot,
    }).run(context);
    return 'failure' in result ? [result.failure.code, result.retry] : [];
  };
  expect(await told(1001, true)).toEqual([]);
  expect(await told(1002, true)).toEqual(['Interrupted', 'yes']);
  expect(await told(1003, true)).toEqual(['Interrupted', 'yes']);
  expect(await told(1004, true)).toEqual(['CommandFailed', 'no']);
  expect(await told(1002, false)).toEqual(['CommandFailed', 'no']);
  expect(asked).toEqual(['now', 'by-others', 'now']);
});
