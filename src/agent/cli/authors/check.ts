import { CLOUDS } from '../../../kit/bytes/user-data-limits.ts';
import { UsageError } from '../../../kit/errors.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { redact } from '../../../secrets/redact.ts';
import { rememberSecrets } from '../../../secrets/remembered.ts';
import { type LintFinding, lintDocument, toLintFinding } from '../../check/lint-document.ts';
import { shellSyntaxWarnings } from '../../check/shell-syntax.ts';
import { stubProblems } from '../../check/stub-problems.ts';
import { unknownTimezone } from '../../check/unknown-timezone.ts';
import { createHost } from '../../create-host.ts';
import type { Host } from '../../host/host.ts';
import type { Instance } from '../../platform/instance/instance.ts';
import { checkDocument } from '../../preflight/check-document.ts';
import { documentSecrets } from '../../redaction/document-secrets.ts';
import { plan } from '../../steps/plan.ts';
import { preview } from '../../steps/preview.ts';
import { checkCreatesNode } from '../../userdata/creates-node.ts';
import { NOT_READ_SENTENCE } from '../../userdata/includes/fetch-include.ts';
import { networkConfigOfFile } from '../../userdata/instance/public-keys.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { pathOption, withUsageErrors } from '../options/options.ts';
import { readInput, UnreadableInput, withoutImageMessage } from './input.ts';
import { type Metadata, readMetaDataFile, SAMPLE_METADATA } from './sample-metadata.ts';

interface CheckFlags {
  strict?: boolean;
  cloud?: string;
  metaData?: string;
  networkConfig?: string;
  output: string;
}

/** Where a file is nothing that could be looked at. */
const UNREADABLE = new Set([
  'UserDataNotFound',
  'UserDataUnreadable',
  'UserDataEmpty',
  'UserDataFormatUnknown',
  'UserDataTooLarge',
  'UserDataUndecodable',
  'UserDataNotUtf8',
]);

/**
 * `slipway check FILE...`: lints user data. It looks for no source and changes nothing.
 *
 * @returns 0 clean, 1 with findings (notes count with --strict), 2 where a file cannot be read or is no user data
 */
export function checkCommand(files: readonly string[], flags: CheckFlags): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOf(flags.output);
    const cloud = cloudOf(flags.cloud);
    const host = createHost({ root: '/' });
    const metaData =
      flags.metaData === undefined ? SAMPLE_METADATA : await readMetaDataFile(host, flags.metaData);
    const { checked, network } = await networkOf(host, flags.networkConfig);
    for (const file of files) {
      const raw = await readOrSay(host, file);
      const findings = Buffer.isBuffer(raw) ? await findingsOf(host, raw, metaData, network, cloud) : [raw];
      checked.push({ file: file === '-' ? 'stdin' : file, findings });
    }
    process.stdout.write(await rendered(format, checked));
    return statusOf(checked, flags.strict === true);
  });
}

/** A file that cannot be read takes nothing from what is found in the others. */
async function readOrSay(host: Host, file: string): Promise<Buffer | LintFinding> {
  try {
    return await readInput(host, file);
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    const { code, why, remedy } = error;
    return { rule: code, severity: 'error', message: `It cannot be read: ${why}.`, remedy };
  }
}

async function findingsOf(
  host: Host,
  raw: Buffer,
  metaData: Metadata,
  network: Pick<Instance, 'network'>,
  cloud: string | undefined,
): Promise<LintFinding[]> {
  const library = { host, instance: '', keeps: false, isOffline: true } as const;
  const document = await readUserData(raw, { source: 'file', metaData, ...network }, { library });
  rememberSecrets(documentSecrets(document));
  const bad = document.report.filter(({ severity }) => severity === 'error');
  const isWhole = bad.every(
    ({ code, message }) => !UNREADABLE.has(code) && !message.includes(NOT_READ_SENTENCE),
  );
  // What calls kubeadm may stand where something could not be read.
  const noNode = bad.length === 0 ? checkCreatesNode(document) : [];
  const beyond = isWhole
    ? [
        ...noNode,
        ...checkDocument(document),
        ...(await preview(plan(document), { document, moment: 'check' })),
        ...(await unknownTimezone(host, document)),
        ...(await shellSyntaxWarnings(host, document)),
      ]
    : [];
  const sealed = document.sealed === undefined ? [] : stubProblems(document.sealed, host.clock.now());
  const findings = lintDocument(raw, document, [...document.report, ...sealed, ...beyond], cloud);
  return findings.map((finding) => {
    const remedy = remedyOfNote(finding, metaData === SAMPLE_METADATA);
    const told = redacted({ ...finding, message: withoutImageMessage(finding.message) ?? finding.message });
    return remedy === undefined ? told : { ...told, severity: 'note' as const, remedy };
  });
}

/** What comes of a network configuration, and what is wrong with it, at its own lines. */
async function networkOf(
  host: Host,
  file: string | undefined,
): Promise<{ checked: CheckedFile[]; network: Pick<Instance, 'network'> }> {
  if (file === undefined) return { checked: [], network: {} };
  const raw = await readOrSay(host, pathOption('network-config', file));
  if (!Buffer.isBuffer(raw)) return { checked: [{ file, findings: [raw] }], network: {} };
  const { readNetwork } = await import('../../userdata/network/read-network.ts');
  const { settings, own } = readNetwork(networkConfigOfFile(raw.toString('utf8'), file));
  const findings = own.map((entry) => redacted(toLintFinding(entry)));
  return { checked: [{ file, findings }], network: settings ? { network: settings } : {} };
}

/** For every form of output: a name in user data may be a secret in the wrong place. Names of files are as they were given. */
function redacted(finding: LintFinding): LintFinding {
  return { ...finding, message: redact(finding.message) };
}

/** What only a machine knows is nobody's mistake. */
function remedyOfNote({ rule, severity, message }: LintFinding, isSample: boolean): string | undefined {
  if (message.includes(NOT_READ_SENTENCE)) return 'slipway plan on a machine reads what is included.';
  if (withoutImageMessage(message) !== undefined)
    return 'Name a user where all images are to have the same; slipway plan on a machine reads its image.';
  if (rule === 'UserDataSealed') return 'Check the user data before they are sealed.';
  if (!isSample || rule !== 'UserDataTemplate' || severity !== 'warning') return undefined;
  return 'Give the metadata of a machine with --meta-data.';
}

async function rendered(format: 'text' | 'json' | 'sarif', checked: readonly CheckedFile[]): Promise<string> {
  if (format === 'json') return checkedAsJson(checked);
  if (format === 'text') return checkedAsText(checked);
  const { asSarif } = await import('../../check/sarif.ts');
  const { version } = await import('../process/version.ts');
  return `${asSarif(checked, version().version)}\n`;
}

function statusOf(checked: readonly CheckedFile[], strict: boolean): number {
  const all = checked.flatMap(({ findings }) => findings);
  if (all.some(({ rule, severity }) => severity === 'error' && UNREADABLE.has(rule))) return 2;
  return all.some(({ severity }) => strict || severity !== 'note') ? 1 : 0;
}

function formatOf(text: string): 'text' | 'json' | 'sarif' {
  if (text === 'text' || text === 'json' || text === 'sarif') return text;
  throw new UsageError(`--output ${text}: give text, json or sarif`);
}

function cloudOf(name: string | undefined): string | undefined {
  if (name === undefined || CLOUDS.some((cloud) => cloud.name === name)) return name;
  throw new UsageError(`--cloud ${name}: give one of ${CLOUDS.map((cloud) => cloud.name).join(', ')}`);
}

/** What was found in one file. */
interface CheckedFile {
  file: string;
  findings: readonly LintFinding[];
}

/** A line for each finding, as compilers write them, with the remedy below the first one of its kind. */
function checkedAsText(checked: readonly CheckedFile[]): string {
  const told = new Set<string>();
  const lines = checked.flatMap(({ file, findings }) =>
    findings.flatMap(({ rule, severity, message, remedy, where }) => {
      const place =
        where === undefined
          ? file
          : `${file}${where.within === undefined ? '' : ` (${where.within})`}:${where.line}:${where.column}`;
      const line = visible(`${place}: ${severity}: ${message} [${rule}]`);
      if (told.has(rule)) return [line];
      told.add(rule);
      return [line, `  ${remedy}`];
    }),
  );
  return lines.map((line) => `${line}\n`).join('');
}

function checkedAsJson(checked: readonly CheckedFile[]): string {
  return `${JSON.stringify({ files: checked }, undefined, 2)}\n`;
}
