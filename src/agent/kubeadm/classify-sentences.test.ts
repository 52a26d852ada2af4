import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseLogFixtures } from '../../../test/support/log-fixtures.ts';
import { diagnoseLog } from './transcript/diagnose-log.ts';
import { readLines } from './transcript/read-lines.ts';

const FILE = fileURLToPath(new URL('./fixtures/logs/kubeadm.txt', import.meta.url));
const HINT = 'To see the stack trace of this error execute with --v=5 or higher';

describe('what kubeadm says, 1.20 to 1.36', () => {
  it.each(parseLogFixtures(readFileSync(FILE, 'utf8')))('$name', ({ code, cause, more, text }) => {
    const log = `${text.trimEnd()}\n\n${HINT}\n`;
    const { failure, result } = diagnoseLog(readLines('log', `+ kubeadm ${more[0]}\n${log}`));
    expect(result).toBe('failed');
    expect(failure).toMatchObject({ code, cause: expect.stringContaining(cause) });
    expect(failure?.cause).toMatch(/[.…]$|; its last line is: /s);
  });
});
