import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readPlatformInfo } from '../platform/platform-info.ts';
import { Diagnostics } from '../text/diagnostics.ts';
import { pythonText } from '../text/yaml/yaml-node.ts';
import { readImageConfig } from './image-config.ts';
import { readImageNetwork } from './network/choose-network.ts';
import { readDatasourceSettings } from './sources/detection/datasource-settings.ts';

let root: string;
beforeEach(() => {
  root = scratch();
  mkdirSync(join(root, 'etc/cloud/cloud.cfg.d'), { recursive: true });
});

it("passes over what lies among the image's configurations and is none", async () => {
  const at = (name: string) => join(root, 'etc/cloud/cloud.cfg.d', name);
  execFileSync('mkfifo', [at('10-pipe.cfg')]);
  writeFileSync(at('20-huge.cfg'), '');
  truncateSync(at('20-huge.cfg'), 64 * 1024 * 1024);
  mkdirSync(at('30-folder.cfg'));
  writeFileSync(at('40-good.cfg'), 'timezone: UTC\ndatasource_list: [NoCloud]\nnetwork: {version: 2}\n');
  const host = createLinuxHost({ root });
  expect((await readImageConfig(host))(new Diagnostics())?.entries).toHaveLength(1);
  expect((await readImageNetwork(host)).config?.place).toContain('40-good.cfg');
  expect((await readDatasourceSettings(await readPlatformInfo(host))).list).toEqual(['NoCloud']);
});

it.each([
  ['without an indentation', 'cloud_init_modules:\n- ntp\n- ssh\nlocale: C\n'],
  ['with one, and comments', '# users\ncloud_init_modules:\n  - ntp\n # a\n\n  - ssh\n\n# b\nlocale: C\n'],
  ['with an item that says how often', 'cloud_final_modules:\n - ntp\n - [ssh, always]\nlocale: C\n'],
  ['with a comment before such an item', 'cloud_final_modules:\n - ntp\n# a\n - [ssh, always]\nlocale: C\n'],
  ['with an item on two lines', 'cloud_config_modules:\n- ntp\n  users\n- ssh\nlocale: C\n'],
  ['at the end', 'locale: C\ncloud_config_modules:\n  - users\n  - timezone\n'],
  ['at the end without a line end', 'locale: C\ncloud_config_modules:\n  - users\n  - timezone'],
  ['with another key right behind it, in escapes', 'cloud_init_modules:\n- ntp\n"\\x6cocale": C\n'],
])('finds the keys beside a list of modules %s', async (_, text) => {
  writeFileSync(join(root, 'etc/cloud/cloud.cfg'), text);
  writeFileSync(join(root, 'etc/cloud/cloud.cfg.d/05_logging.cfg'), 'a:\n - &b |\n   [x]\nc: [*b]\n');
  const found = (await readImageConfig(createLinuxHost({ root })))(new Diagnostics());
  expect(found?.entries.map(({ key, value }) => [pythonText(key), pythonText(value)])).toEqual([
    ['locale', 'C'],
  ]);
});

it('counts a file as empty that is no YAML behind its list of modules', async () => {
  const text = 'locale: C\ncloud_init_modules:\n  - ntp\n - users\ntimezone: UTC\n';
  writeFileSync(join(root, 'etc/cloud/cloud.cfg'), text);
  const diagnostics = new Diagnostics();
  expect((await readImageConfig(createLinuxHost({ root })))(diagnostics)).toBeUndefined();
  expect(diagnostics.entries).toEqual([
    {
      severity: 'warning',
      code: 'UserDataInvalid',
      message: expect.stringMatching(
        /^\/etc\/cloud\/cloud.cfg of the image is not valid YAML, so it is ignored/,
      ),
      where: { line: 4, column: 2, within: '/etc/cloud/cloud.cfg' },
    },
  ]);
});

it.each<[string, string, string | undefined]>([
  ['a quoted text with a line like a comment', 'locale: "C\n# a"\n', 'C # a'],
  ['one that begins behind others', "a: [it's, \"b\"] # c\nb: '#'\nlocale: 'C\n# \"a\"\n  '\n", 'C # "a" '],
  [
    'one with a line like a list of modules',
    'locale: "C\ncloud_init_modules:\n- ntp\na: b"\n',
    'C cloud_init_modules: - ntp a: b',
  ],
  ['a text that keeps its empty lines, before a comment', 'locale: |+\n  C\n\n# a\n\n', 'C\n\n'],
  ['such a text before a list of modules', 'locale: |+\n  C\n\ncloud_init_modules:\n- ntp\na: b\n', 'C\n\n'],
  ['a key that stands elsewhere', 'x: &k locale\n*k : C\n', 'C'],
  ['a mapping on one line', '{x, locale: C}\n', 'C'],
  ['a key behind one that is too long', `${'a'.repeat(1100)}:\nlocale: C\n`, undefined],
  ['lines that end as on Windows', '# a\r\ncloud_init_modules:\r\n- ntp\r\nlocale: C\r\n', 'C'],
  ['a key behind a comment that ends in another way', '# a\u0085locale: C\n', 'C'],
  ['one behind a third way', '# a\u2028locale: C\n', 'C'],
  ['a comment within a text, which is a mistake', 'locale: C\n# a\n  b\n', undefined],
  ['a comment with a character that YAML knows not', '# \u0007\nlocale: C\n', undefined],
  [
    'a list of modules between braces',
    'a: {\ncloud_init_modules:\n- ntp\nlocale: C}\nlocale: C\n',
    undefined,
  ],
])('reads as if it left nothing out: %s', async (_, text, locale) => {
  writeFileSync(join(root, 'etc/cloud/cloud.cfg'), text);
  const found = (await readImageConfig(createLinuxHost({ root })))(new Diagnostics());
  const read = found?.entries.find(({ key }) => pythonText(key) === 'locale');
  expect(read && pythonText(read.value)).toBe(locale);
});

it('is at its end with a file of blanks', async () => {
  const image = async (text: string) => {
    writeFileSync(join(root, 'etc/cloud/cloud.cfg'), text);
    return (await readImageConfig(createLinuxHost({ root })))(new Diagnostics());
  };
  for (const unit of ['\n', ' ', '\t\n', 'ntp ', "'", ' {', 'user '])
    expect(await image(`${unit.repeat(120_000)}!`)).toBeUndefined();
});
