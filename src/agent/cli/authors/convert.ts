import { positionText } from '../../../kit/position.ts';
import { redact } from '../../../kit/secrets/redact.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { FetchError } from '../../fetch/fetch.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { decoded } from '../../userdata/read-document.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { UsageError, withUsage } from '../options/options.ts';
import { readInput } from './input.ts';
import { type Metadata, readMetaDataFile, SAMPLE } from './sample-metadata.ts';

export interface ConvertFlags {
  metaData?: string;
  schema?: boolean;
}

/**
 * `slipway convert FILE`: prints user data of any format as the one document, which is user data itself. What is included is
 * read, as `slipway plan` does; nothing is changed.
 *
 * @returns 0 with the document on standard output, 2 where there are errors or the file cannot be read
 */
export function convertCommand(file: string | undefined, flags: ConvertFlags): Promise<number> {
  return withUsage(async () => {
    if (flags.schema === true) {
      const { jsonSchema } = await import('../../userdata/native/json-schema.ts');
      process.stdout.write(`${JSON.stringify(jsonSchema(), undefined, 2)}\n`);
      return 0;
    }
    if (file === undefined) throw new UsageError('give a file with user data, or - for standard input');
    const host = createLinuxHost({ root: '/' });
    const raw = await readInput(host, file);
    const metaData = await metaDataFor(host, raw, flags.metaData);
    const document = await read(host, raw, metaData);
    for (const { severity, code, message, where } of document.report) {
      const place = where === undefined ? '' : ` ${positionText(where)}`;
      process.stderr.write(visible(redact(`slipway: ${severity}: user data${place}: ${message} [${code}]`)));
      process.stderr.write('\n');
    }
    if (document.report.some(({ severity }) => severity === 'error')) return 2;
    const { writeNative } = await import('../../userdata/native/write-native.ts');
    process.stdout.write(writeNative(document, metaData));
    return 0;
  });
}

/** A template is rendered for one machine: whose metadata must be given. */
async function metaDataFor(host: Host, raw: Buffer, file: string | undefined): Promise<Metadata> {
  if (file !== undefined) return readMetaDataFile(host, file);
  const { parts = [] } = decoded(raw, { source: 'file', metaData: {} });
  if (parts.some(({ type }) => type === 'text/jinja2'))
    throw new UsageError(
      'the user data has a template: give the metadata to render it with (--meta-data FILE)',
    );
  // A name without a domain: the document says nothing of it.
  return { 'local-hostname': SAMPLE.hostname };
}

async function read(host: Host, raw: Buffer, metaData: Metadata): ReturnType<typeof readUserData> {
  try {
    const library = { host, instance: '', keeps: false };
    return await readUserData(raw, { source: 'file', metaData }, { library });
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new UsageError(`what is included cannot be read: ${error.message}`);
  }
}
