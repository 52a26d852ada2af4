import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { root } from '../project.ts';
import { firstBootFiles } from './first-boot.ts';

it.each(Object.entries(firstBootFiles()))(
  '%s is current (else run: npm run node -- build/images/first-boot.ts)',
  (path, text) => {
    expect(readFileSync(join(root, path), 'utf8')).toBe(text);
    // Cluster API puts such a script into user data that Jinja renders.
    expect(text).not.toMatch(/\{[{%#]/);
    // The smallest limit for user data is EC2's.
    expect(text.length).toBeLessThan(16_384);
  },
);

it('holds the same script in both', () => {
  const files = firstBootFiles();
  const { write_files: written } = load(files['cloud-init/download.yaml'] ?? '') as {
    write_files: { content: string }[];
  };
  expect(`#cloud-boothook\n${written[0]?.content}`).toBe(files['cloud-init/vendor-data.sh']);
});
