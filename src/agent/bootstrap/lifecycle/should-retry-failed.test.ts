import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { JOURNAL, OUTCOME } from '../../document/paths.ts';
import { recordsOf } from '../../engine/parse-journal.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { planAgain } from '../again/plan-again.ts';
import { FIRST, reruns } from '../fixtures/rerun.ts';
import { shouldRetryFailed } from './should-retry-failed.ts';

/** A machine's root is entered, which only root may do. */
describe.runIf(process.getuid?.() === 0)(
  'another try of a bootstrap that has not succeeded (needs root)',
  () => {
    const { run, at, text, openHost } = reruns();

    const WANTING = `slipway: {kubeadm: none}
write_files:
- {path: /etc/a, content: one}
runcmd: [echo first >>/log, test -e /wanted && echo wanted >>/log, echo last >>/log]
`;

    it('runs a command anew that kept the bootstrap from succeeding, and only that', async () => {
      const { outcome } = await run(WANTING, false);
      expect(outcome.failure?.remedy).toContain('slipway bootstrap --again');
      expect((await run(WANTING, false)).outcome.failure?.cause).toContain('Nothing was tried now');
      expect((await run(WANTING, true)).outcome.failure?.cause).not.toContain('Nothing was tried now');
      writeFileSync(at('wanted'), '');
      expect((await run(WANTING, false)).outcome.result).toBe('failed');
      const { outcome: anew } = await run(WANTING, true);
      expect(anew).toMatchObject({ result: 'succeeded', message: 'The machine is bootstrapped.' });
      expect(JSON.parse(text(OUTCOME))).toEqual(anew);
      expect(text('log').trim().split('\n')).toEqual(['first', 'last', 'wanted']);
      expect((await run(WANTING, true)).outcome.message).toContain('Nothing has changed');
    });

    it('joins after a command that had ended the shell before kubeadm', async () => {
      const ending = FIRST.replace('export V=one', 'test -e /wanted || exit 1');
      expect((await run(ending, false)).outcome.failure?.code).toBe('CommandEndedScript');
      writeFileSync(at('wanted'), '');
      expect((await run(ending, false)).outcome.failure?.code).toBe('CommandEndedScript');
      expect((await run(ending, true)).outcome).toMatchObject({ result: 'succeeded', findings: [] });
      expect(text('log').trim().split('\n')).toEqual(['boot', 'first', 'joined', 'last']);
      expect((await run(ending, true)).outcome.message).toContain('Nothing has changed');
    });

    it('has a later start go on with what it was asked to run anew and was cut off from', async () => {
      await run(WANTING, false);
      writeFileSync(at('wanted'), '');
      const stop = new AbortController();
      stop.abort();
      expect((await run(WANTING, true, stop.signal)).outcome.result).toBe('transient');
      expect((await run(WANTING, false)).outcome.result).toBe('succeeded');
      expect(text('log').trim().split('\n')).toEqual(['first', 'last', 'wanted']);
    });

    it('leaves to cloud-init what that has run, where Slipway is only its kubeadm', async () => {
      await run(WANTING, false);
      const journal = at(JOURNAL);
      writeFileSync(journal, text(JOURNAL).replaceAll('"mode":"bootstrap"', '"mode":"shim"'));
      expect((await run(WANTING, true)).outcome).toMatchObject({
        result: 'bad-input',
        failure: {
          code: 'NothingToRepeat',
          remedy: expect.stringContaining('Call kubeadm join or init again'),
        },
      });
      expect(text('log').trim().split('\n')).toEqual(['first', 'last']);
    });

    it('shows before what it would run anew', async () => {
      await run(WANTING, false);
      const host = openHost();
      const records = await recordsOf(host);
      expect(shouldRetryFailed(records)).toBe(true);
      const data = Buffer.from(`#cloud-config\n${WANTING.trimEnd().slice(0, -1)}, echo more]\n`);
      const document = await readUserData(data, { source: 'file', metaData: {} });
      const planned = await planAgain(host, document);
      const changes = planned.kind === 'again' ? planned.changes : [];
      expect(changes.map(({ step, what }) => `${step.id} ${what}`)).toEqual([
        'files same',
        'runcmd/1 same',
        'runcmd/2 failed',
        'runcmd/3 same',
        'runcmd/4 new',
      ]);
    });
  },
);
