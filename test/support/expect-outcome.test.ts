import { expect, test } from 'vitest';
import { JOURNAL, OUTCOME } from '../../src/agent/document/paths.ts';
import { LabError, type Machine } from '../lab/lab.ts';
import { expectTruth } from './expect-outcome.ts';

const SECRET = 'abcdef.0123456789abcdef';

/** A machine that has failed, with these files. */
function machine(files: Record<string, string>, logs = ''): Pick<Machine, 'read' | 'exec' | 'logs'> {
  return {
    read: async (path) => {
      const text = files[path];
      if (text === undefined) throw new LabError(`cat: ${path}: No such file or directory`);
      return text;
    },
    exec: async () => ({ code: 1, signal: null, stdout: '', stderr: '' }),
    logs: async () => logs,
  };
}

const outcome = JSON.stringify({ result: 'failed', findings: [], steps: [] });
const journal = (...messages: string[]) =>
  messages.map((message, index) => `${JSON.stringify({ seq: index + 1, message })}\n`).join('');
const truth = (files: Record<string, string>, logs?: string) =>
  expectTruth(machine({ [OUTCOME]: outcome, ...files }, logs), [SECRET]);

test('a secret in the journal, the verdict or the logs is an error', async () => {
  await expect(truth({ [JOURNAL]: journal('one', 'two') })).resolves.toMatchObject({ result: 'failed' });
  await expect(truth({ [JOURNAL]: journal(`told ${SECRET}`) })).rejects.toThrow('a secret was told');
  await expect(truth({ [JOURNAL]: journal('one') }, SECRET)).rejects.toThrow('a secret was told');
  const told = JSON.stringify({ result: 'failed', findings: [], steps: [], message: SECRET });
  await expect(truth({ [JOURNAL]: journal('one'), [OUTCOME]: told })).rejects.toThrow('a secret was told');
});

test('a journal that is not there or cannot be read is an error: nobody knows what it holds', async () => {
  await expect(truth({})).rejects.toThrow(JOURNAL);
  await expect(truth({ [JOURNAL]: `${journal('one')}{"seq":` })).rejects.toThrow(SyntaxError);
});
