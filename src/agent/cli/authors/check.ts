import { remember } from '../../../kit/secrets/known.ts';
import { check, type Finding } from '../../check/check.ts';
import { CLOUDS } from '../../check/rule/clouds.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { checkDocument } from '../../preflight/check-document.ts';
import { documentSecrets } from '../../secrets/document-secrets.ts';
import { checkMakesNode } from '../../userdata/makes-node.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { UsageError, withUsage } from '../options/options.ts';
import { type Checked, checkedAsJson, checkedAsText } from './check-text.ts';
import { readInput } from './input.ts';
import { type Metadata, readMetaDataFile, SAMPLE } from './sample-metadata.ts';

export interface CheckFlags {
  strict?: boolean;
  cloud?: string;
  metaData?: string;
  output: string;
}

/** Where a file is nothing that could be looked at. */
const UNREADABLE = new Set([
  'UserDataEmpty',
  'UserDataFormatUnknown',
  'UserDataTooLarge',
  'UserDataUndecodable',
]);

/**
 * `slipway check FILE...`: says what in user data would not do what it seems to. It looks for no source and changes nothing.
 *
 * @returns 0 clean, 1 with findings (notes count with --strict), 2 where a file cannot be read or is no user data
 */
export function checkCommand(files: readonly string[], flags: CheckFlags): Promise<number> {
  return withUsage(async () => {
    const format = formatOf(flags.output);
    const cloud = cloudOf(flags.cloud);
    const host = createLinuxHost({ root: '/' });
    const metaData = flags.metaData === undefined ? SAMPLE : await readMetaDataFile(host, flags.metaData);
    const checked: Checked[] = [];
    for (const file of files) {
      const raw = await readInput(host, file);
      checked.push({ file: file === '-' ? 'stdin' : file, findings: await findingsOf(raw, metaData, cloud) });
    }
    process.stdout.write(await rendered(format, checked));
    return statusOf(checked, flags.strict === true);
  });
}

async function findingsOf(raw: Buffer, metaData: Metadata, cloud: string | undefined): Promise<Finding[]> {
  const document = await readUserData(raw, { source: 'file', metaData });
  remember(documentSecrets(document));
  const isReadable = !document.report.some(
    ({ code, severity }) => severity === 'error' && UNREADABLE.has(code),
  );
  const beyond = isReadable ? [...checkMakesNode(document), ...checkDocument(document)] : [];
  const findings = check(raw, document, [...document.report, ...beyond], cloud);
  // Names that only a machine's own metadata has are nobody's mistake.
  return findings.map((finding) =>
    metaData === SAMPLE && finding.rule === 'UserDataTemplate' && finding.severity === 'warning'
      ? { ...finding, severity: 'note' as const, remedy: 'Give the metadata of a machine with --meta-data.' }
      : finding,
  );
}

async function rendered(format: 'text' | 'json' | 'sarif', checked: readonly Checked[]): Promise<string> {
  if (format === 'json') return checkedAsJson(checked);
  if (format === 'text') return checkedAsText(checked);
  const { asSarif } = await import('../../check/sarif.ts');
  const { version } = await import('../process/version.ts');
  return `${asSarif(checked, version().version)}\n`;
}

function statusOf(checked: readonly Checked[], strict: boolean): number {
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
