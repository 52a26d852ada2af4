import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { readSourcesFile, SOURCES_FILE } from './sources-file.ts';

let root: string;
beforeEach(() => {
  root = scratch();
});

const read = (text: string) => {
  const path = join(root, SOURCES_FILE);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return readSourcesFile(createLinuxHost({ root }));
};

test('what it says counts; that it says nothing, or is not there, too', async () => {
  expect(await readSourcesFile(createLinuxHost({ root }))).toEqual({});
  for (const text of ['', '# nothing yet\n', '---\n']) expect(await read(text)).toEqual({});
  const all = { datasource_list: ['Ec2', 'None'], datasource: { Ec2: { metadata_urls: ['http://x'] } } };
  expect(await read(JSON.stringify({ ...all, metadata: 'ec2' }))).toEqual({ ...all, metadata: 'ec2' });
  expect(await read('metadata:\ndatasource: NoCloud\n')).toEqual({ metadata: null, datasource: 'NoCloud' });
});

test.each([
  ['metadata: [ec2]', 'metadata must be the name of a source'],
  ['metadata: {name: ec2}', 'metadata must be the name of a source'],
  ['datasource_list: Ec2', 'datasource_list must be a list of names'],
  ['datasource_list: [Ec2, 7]', 'datasource_list must be a list of names'],
  ['datasource: [Ec2]', 'datasource must be a mapping, or a name'],
  ['Metadata: ec2', '"Metadata" is not a setting; the settings are: datasource_list, datasource, metadata'],
  ['toString: ec2', '"toString" is not a setting'],
  ['- ec2', 'it must be a mapping'],
  ['metadata: "ec2', 'line 1, column '],
])('%s is refused, and not passed over', async (text, words) => {
  const error = await read(text).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ name: 'HostError', errno: 'EINVAL', path: SOURCES_FILE });
  expect(String(error)).toContain(words);
  expect(String(error)).toContain(SOURCES_FILE);
});
