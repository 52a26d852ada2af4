import { gzipSync } from 'node:zlib';
import { CLOUDS, countedSize } from '../../kit/bytes/user-data-limits.ts';
import { visible } from '../../kit/terminal/visible.ts';
import { codes } from '../../protocol/codes/codes.ts';
import type { Diagnostic, Document, Position } from '../document/document.ts';
import { toLintInput } from './rule/lint-input.ts';
import type { Rule, Severity } from './rule/rule.ts';
import { FILE_RULES } from './rules/file-rules.ts';
import { KUBEADM_RULES } from './rules/kubeadm-rules.ts';
import { ORDER_RULES } from './rules/order-rules.ts';
import { SECRET_RULES } from './rules/secret-rules.ts';
import { SHELL_RULES } from './rules/shell-rules.ts';
import { SIZE_RULES } from './rules/size-rules.ts';

export interface LintFinding {
  /** A rule's id, or a code of docs/codes.md. */
  rule: string;
  severity: Severity;
  message: string;
  remedy: string;
  where?: Position;
}

/** Most findings of one rule in one file; whoever has more has read enough. */
const MOST_HITS = 100;

const SIZE = 'larger-than-a-cloud-takes';

const isKnown = (cloud: string | undefined): boolean => CLOUDS.some(({ name }) => name === cloud);

/** Everything worth a word in a document, in the order of its lines: what reading it told, and what the rules find. */
export function lintDocument(
  raw: Buffer,
  document: Document,
  report: readonly Diagnostic[],
  cloud: string | undefined,
): LintFinding[] {
  const seen = toLintInput(raw, document);
  // What a cloud that was named takes is said once, and of no other cloud.
  const rules = isKnown(cloud) ? RULES.filter(({ id }) => id !== SIZE) : RULES;
  const hits = rules.flatMap((rule) =>
    rule
      .find(seen)
      .slice(0, MOST_HITS)
      .map((hit) => ({ ...hit, rule })),
  );
  const isTwice = (message: string): boolean =>
    hits.some(({ alreadyTold }) => alreadyTold !== undefined && message.includes(alreadyTold));
  const told = report.filter(({ message }) => !isTwice(message)).map(toLintFinding);
  const found = hits.map(({ rule: { id, severity, remedy }, message, where }) => ({
    rule: id,
    severity,
    message: visible(message),
    remedy,
    ...(where === undefined ? {} : { where }),
  }));
  const line = ({ where }: LintFinding): number => where?.line ?? 0;
  return [...tooLarge(raw, cloud), ...told, ...found].sort(
    (a, b) => line(a) - line(b) || (a.where?.column ?? 0) - (b.where?.column ?? 0),
  );
}

export function toLintFinding({ severity, code, message, where }: Diagnostic): LintFinding {
  const place = where === undefined ? {} : { where };
  return { rule: code, severity, message, remedy: codes()[code].fix, ...place };
}

function tooLarge(raw: Buffer, name: string | undefined): LintFinding[] {
  const cloud = CLOUDS.find((row) => row.name === name);
  const rule = RULES.find(({ id }) => id === SIZE);
  if (cloud === undefined || rule === undefined || countedSize(cloud, raw.length) <= cloud.bytes) return [];
  const size = `${countedSize(cloud, raw.length)} bytes${cloud.counts === 'base64' ? ' as base64' : ''}`;
  const zipped = `with gzip ${countedSize(cloud, gzipSync(raw).length)}`;
  const message = `${cloud.title} accepts ${cloud.bytes} bytes; this has ${size}, ${zipped}.`;
  return [{ rule: rule.id, severity: 'error', message, remedy: rule.remedy }];
}

/** Every rule once, in groups by what it is about; docs/checks.md is made from it. */
export const RULE_GROUPS: readonly { title: string; rules: readonly Rule[] }[] = [
  { title: 'Failures that go unnoticed', rules: SHELL_RULES },
  { title: 'Order', rules: ORDER_RULES },
  { title: 'Files', rules: FILE_RULES },
  { title: 'Secrets', rules: SECRET_RULES },
  { title: 'kubeadm', rules: KUBEADM_RULES },
  { title: 'Size', rules: SIZE_RULES },
];

export const RULES: readonly Rule[] = RULE_GROUPS.flatMap(({ rules }) => rules);
