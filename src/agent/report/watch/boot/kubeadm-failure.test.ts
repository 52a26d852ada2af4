import { describe, expect, it } from 'vitest';
import { readFixtures } from '../../../../../test/support/kubeadm/kubeadm-fixtures.ts';
import { diagnoseLog } from '../../../diagnosis/diagnose-log.ts';
import { readLines } from '../../../diagnosis/transcript/read-lines.ts';
import { classify } from '../../../diagnosis/words/classify.ts';
import { kubeadmFailure } from './kubeadm-failure.ts';

const CLOUD_INIT =
  "Cloud-init v. 23.4 running 'modules:final' at Fri, 21 Nov 2026 02:34:11 +0000. Up 21.07 seconds.";
const FAILED =
  '2026-11-21 02:36:11,123 - util.py[WARNING]: Failed running /var/lib/cloud/instance/scripts/runcmd [1]';

describe('a step, `slipway diagnose` and the reporter say the same', () => {
  it.each(readFixtures())('of $name', ({ verb, stdout, stderr, exitStatus, code }) => {
    expect(classify({ verb, stdout, stderr, exitStatus }).code).toBe(code);
    const log = `${CLOUD_INIT}\n${stdout}${stderr.trimEnd()}\n${FAILED}\n`;
    const told = kubeadmFailure(log, { seen: verb, exitStatus });
    expect(told).toMatchObject({ code, exitStatus });
    // Of a signal, and of a kubeadm that refused its command line without another word, a log knows nothing.
    const bare = diagnoseLog(readLines('log', log));
    if (bare.failure !== undefined) expect(bare.failure.code).toBe(code);
    else expect(exitStatus).toBeGreaterThan(1);
  });
});

describe('the reporter', () => {
  it('tells nothing of kubeadm where it did not run, and that it cannot say more where it was seen', () => {
    expect(kubeadmFailure(`${CLOUD_INIT}\nE: Unable to locate package\n`, {})).toBeUndefined();
    expect(kubeadmFailure(`${CLOUD_INIT}\n`, { seen: 'join', exitStatus: 137 })).toMatchObject({
      code: 'KubeadmInterrupted',
    });
  });

  it('tells nothing of a join that went well, whatever another program wrote before its hint', () => {
    const by = (program: string, text: string): string => `Nov 21 02:34:28 n1 ${program}: ${text}\n`;
    const log = [
      by('cloud-init[7]', '[preflight] Running pre-flight checks'),
      by('cloud-init[7]', 'This node has joined the cluster:'),
      by('myapp[99]', 'cannot open the database'),
      'To see the stack trace of this error execute with --v=5 or higher\n',
    ].join('');
    expect(kubeadmFailure(log, { meant: 'join' })).toBeUndefined();
  });
});
