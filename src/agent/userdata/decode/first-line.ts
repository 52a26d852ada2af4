import { printable, type Report } from '../../text/report.ts';
import type { SourceText } from '../../text/source-text.ts';

/** What people write in place of the first line that they mean. */
const NEARLY: readonly (readonly [RegExp, string])[] = [
  [/^#+[ \t]*template\b/i, 'it must be "## template: jinja", with these two blanks'],
  [/^#+[ \t]*cloud[ \t_-]*config\b/i, 'it must be #cloud-config, in this spelling'],
];

/** What people take for user data. */
const ANOTHER: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:network|ethernets|bonds|bridges|vlans)[ \t]*:/,
    'it reads like a network configuration, which lies beside the user data (--network-config)',
  ],
  [
    /^(?:instance-id|local-hostname)[ \t]*:/,
    'it reads like metadata, which lie beside the user data (--meta-data)',
  ],
  [/^variant[ \t]*:/, 'it reads like Butane: the program butane makes an Ignition config of it'],
  [/^[a-z][\w-]*[ \t]*:/i, 'where this is a cloud-config, #cloud-config must stand above it'],
];

const ORDINARY = '#cloud-config, or a JSON object with the key ignition, is what it begins with most often';

/** Refuses a text of which nothing says what it is, with what its beginning reads like. */
export function refuseFirstLine(source: SourceText, name: string, report: Report): void {
  const start = Math.max(source.text.search(/\S/), 0);
  const head = source.text.slice(start, start + 4096);
  const message = `${name} has a first line that Slipway does not know; ${hint(head, source.text)}.`;
  report.error('UserDataFormatUnknown', message, source.locate(start));
}

function hint(first: string, text: string): string {
  const nearly = NEARLY.find(([beginning]) => beginning.test(first));
  if (nearly !== undefined) return nearly[1];
  const line = text.split('\n').findIndex((one) => /^#cloud-config\s*$/.test(one)) + 1;
  if (line > 0) return `#cloud-config stands on line ${line}, and must be the first`;
  const head = first.replace(/^---[^\S\n]*\n/, '');
  const kind =
    /^(?:\{\s*)?["']?(?:apiVersion|kind)\b/.test(head) && /\bkind["']?:\s*["']?(\w+)/.exec(head)?.[1];
  if (kind)
    return `it is an object of Kubernetes (${printable(kind)}): of a machine's Secret, data.value holds the user data in base64`;
  return ANOTHER.find(([beginning]) => beginning.test(head))?.[1] ?? ORDINARY;
}
