/** Writes docs/checks.md from the table of rules; `npm run node -- build/docs/checks.ts`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RULE_GROUPS } from '../../src/agent/check/lint-document.ts';
import type { Rule } from '../../src/agent/check/rule/rule.ts';
import { CLOUDS } from '../../src/kit/bytes/user-data-limits.ts';

export const DOCUMENT = fileURLToPath(new URL('../../docs/checks.md', import.meta.url));

/** An example of more lines is left out of the page; it would say nothing. */
const LONGEST = 700;

/** The page: how to use the command, every rule under a heading of its own, and what clouds take. */
export function checksPage(): string {
  return `${[...HEAD, ...RULE_GROUPS.flatMap(section), ...clouds()].join('\n')}\n`;
}

const HEAD = [
  '# slipway check',
  '',
  '`slipway check FILE...` reads user data of any format (cloud-config, MIME, scripts, Ignition; `-` is standard input) and',
  'lints it: everything that `slipway plan` reports, and the rules below. It does not search for a source,',
  'does not use the network, and changes nothing. Templates are rendered with sample metadata, or with `--meta-data FILE`.',
  '',
  '    slipway check node.yaml',
  '    slipway check --strict --cloud aws --output sarif templates/*.yaml >slipway.sarif',
  '',
  'A finding has a place (`FILE:LINE:COLUMN`), a severity, and the id of its rule, or a [code](codes.md) if reading the user data reported it.',
  'The place of a finding in encoded content (base64, gzip, MIME) is that of the containing item; the message names the line inside.',
  '',
  '| exit status | |',
  '| ----------- | --- |',
  '| 0 | nothing was found, or notes only |',
  '| 1 | an error or a warning; with `--strict` a note, too |',
  '| 2 | a file cannot be read or is not user data (reported as a finding; the other files are still checked), or the arguments are wrong |',
  '',
  '`--output json` prints `{"files": [{"file", "findings": [{"rule", "severity", "message", "remedy", "where"}]}]}`, `--output sarif`',
  'SARIF 2.1.0, which code hosts show beside the lines. No output quotes a value from the user data,',
  'or turns it into a link.',
  '',
  "Differences from cloud-init's schema (booleans and numbers where a string is expected, unknown keys, empty lists, old spellings)",
  'are reported with the codes `UserDataInvalid` and `UserDataIgnoredKey`.',
  '',
  'This page is generated from the table of rules in `src/agent/check` by `npm run node -- build/docs/checks.ts`; do not edit it.',
];

function section({ title, rules }: { title: string; rules: readonly Rule[] }): string[] {
  return ['', `## ${title}`, ...rules.flatMap(ruleLines)];
}

function ruleLines({ id, severity, title, why, remedy, example }: Rule): string[] {
  const head = ['', `### ${id}`, '', `${title} (${severity}). ${why}`, '', remedy];
  if (example.wrong.length > LONGEST) return head;
  return [...head, '', ...code(example.wrong), '', 'Better:', '', ...code(example.right)];
}

function code(text: string): string[] {
  const language = text.startsWith('{') ? 'json' : 'yaml';
  return [`\`\`\`${language}`, ...text.replaceAll('\r', '␍').trimEnd().split('\n'), '```'];
}

function clouds(): string[] {
  const rows = CLOUDS.map(
    ({ name, title, bytes, counts }) =>
      `| \`${name}\` | ${title} | ${bytes} | ${counts === 'raw' ? 'as it is' : 'as base64'} |`,
  );
  return [
    '',
    '## User data limits of clouds',
    '',
    '| `--cloud` | | bytes | counted |',
    '| --- | --- | --- | --- |',
    ...rows,
  ];
}

if (import.meta.main) writeFileSync(DOCUMENT, checksPage());
