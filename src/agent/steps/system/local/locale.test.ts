import { expect, it } from 'vitest';
import { supportedLine } from './locale.ts';

const SUPPORTED = `de_DE ISO-8859-1
de_DE.UTF-8 UTF-8
de_DE@euro ISO-8859-15
ca_ES@valencia UTF-8
ja_JP.EUC-JP EUC-JP
ja_JP.UTF-8 UTF-8
`;

it.each([
  ['de_DE', 'de_DE.UTF-8 UTF-8'],
  ['de_DE.UTF-8', 'de_DE.UTF-8 UTF-8'],
  ['de_DE.utf8', 'de_DE.UTF-8 UTF-8'],
  ['de_DE@euro', 'de_DE@euro ISO-8859-15'],
  ['ca_ES.UTF-8@valencia', 'ca_ES@valencia UTF-8'],
  ['ja_JP.EUC-JP', 'ja_JP.EUC-JP EUC-JP'],
  ['xx_YY', 'xx_YY.UTF-8 UTF-8'],
  ['xx_YY.KOI8-R', 'xx_YY.KOI8-R KOI8-R'],
])('finds for %s the line that cloud-init finds', (name, line) => {
  expect(supportedLine(SUPPORTED, name)).toBe(line);
});
