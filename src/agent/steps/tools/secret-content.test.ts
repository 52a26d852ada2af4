import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { FileEntry } from '../../document/document.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { SecretContents } from './secret-content.ts';

const root = mkdtempSync(join(tmpdir(), 'slipway-secret-'));
afterAll(() => rmSync(root, { recursive: true }));

const entry = (address: string): FileEntry => ({
  path: '/etc/x',
  content: sensitive(Buffer.alloc(0)),
  mode: 0o600,
  owner: 'root:root',
  append: false,
  defer: false,
  from: { url: sensitive(address), headers: [], isCompressed: false },
});

it.each([
  ['age+data:,x', 'SecretNotFound', /^The secret exists\. Put the identity /],
  ['vault:///a', 'SecretDenied', /^Set slipway\.secrets\.vault\.address/],
])(
  'a file of the secret %s that is not had comes with what helps in that case',
  async (address, code, remedy) => {
    const contents = new SecretContents(createLinuxHost({ root }));
    await expect(contents.fill([entry(address)])).rejects.toMatchObject({
      code,
      more: { remedy: expect.stringMatching(remedy) },
    });
  },
);
