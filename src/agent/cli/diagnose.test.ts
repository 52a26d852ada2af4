import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const ENTRY = join(import.meta.dirname, '../../slipway.ts');
const dir = mkdtempSync(join(tmpdir(), 'slipway-diagnose-'));
afterAll(() => rmSync(dir, { recursive: true }));

const diagnose = (args: string[], input = '') => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [ENTRY, 'diagnose', ...args], {
    input,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(dir, name), content);
  return join(dir, name);
};

const TOKEN = 'abcdef.0123456789abcdef';
const LOG = `Cloud-init v. 23.4 running 'modules:final'
[preflight] Running pre-flight checks
error execution phase preflight: couldn't validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef" (${TOKEN})
To see the stack trace of this error execute with --v=5 or higher
`;

describe('slipway diagnose', () => {
  it('tells code, cause, remedy and lines for people', () => {
    const { status, stdout } = diagnose([file('log', LOG)]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^TokenUnknown \(discovery\): kubeadm join, phase preflight\n/);
    expect(stdout).toContain('Cause ');
    expect(stdout).toContain('What to do ');
    expect(stdout).toMatch(/line 3: error execution phase preflight/);
    expect(stdout).not.toContain(TOKEN);
  });

  it('tells it for programs, with the place of each line in several files', () => {
    const other = file('other', 'nothing\n');
    const { stdout } = diagnose([other, file('log', LOG), '--output', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 2,
      result: 'failed',
      failure: {
        code: 'TokenUnknown',
        category: 'discovery',
        phase: 'preflight',
        more: 'slipway explain TokenUnknown',
      },
      lines: [{ file: join(dir, 'log'), line: 3 }],
      attempts: [{ verb: 'join', result: 'failed', from: { line: 2 }, to: { line: 4 } }],
    });
    expect(stdout).not.toContain(TOKEN);
  });

  it('prints nothing that a terminal would act upon, whatever a file is called or says', () => {
    const name = file('a\u{1b}]0;title\u{7}', LOG.replaceAll(TOKEN, '\u{202e}'));
    const { stdout } = diagnose([name, file('other', LOG)]);
    expect(stdout).toContain('TokenUnknown');
    expect(stdout + diagnose([`${name}-not-there`]).stderr).not.toMatch(/[^\P{C}\n]/u);
  });

  it('reads standard input', () => {
    expect(diagnose(['-'], LOG).stdout).toMatch(/^TokenUnknown/);
  });

  it('says when there is nothing of kubeadm, and when a file cannot be read', () => {
    expect(diagnose(['-'], 'hello\n')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('no output of kubeadm'),
    });
    expect(diagnose([file('journal.jsonl', '{"v":1,"seq":1,"type":"heartbeat"}\n')])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/journal\.jsonl is a journal of Slipway's own: slipway status tells it/),
    });
    expect(diagnose(['/nope'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('/nope cannot be read'),
    });
    expect(diagnose([dir])).toMatchObject({ status: 2 });
    expect(diagnose([])).toMatchObject({ status: 2 });
  });

  it('reads the end of a large log, and numbers lines from its beginning', () => {
    const noise = Buffer.from(`${'x'.repeat(99)}\n`.repeat(300_000));
    const { stdout } = diagnose([
      file('large', Buffer.concat([noise, Buffer.from([0xff, 0x0a]), Buffer.from(LOG)])),
    ]);
    expect(stdout).toContain('line 300004: error execution phase');
  });
});
