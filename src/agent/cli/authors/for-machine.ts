import { UsageError } from '../../../kit/errors.ts';
import type { Document } from '../../document/document.ts';
import { FetchError } from '../../fetch/fetch.ts';
import type { Host } from '../../host/host.ts';
import { decoded } from '../../userdata/make-document.ts';
import { readUserData } from '../../userdata/read-user-data.ts';

import { readInput } from './input.ts';
import { type Metadata, readMetaDataFile, SAMPLE } from './sample-metadata.ts';

/** A server may answer later. */
const TRY_AGAIN = 75;

/**
 * User data of a file as one machine, or any, would read it; what is included is read too. A template is rendered for one
 * machine, whose metadata must be given.
 *
 * @throws UsageError
 */
export async function readForMachine(
  host: Host,
  file: string,
  metaDataFile: string | undefined,
): Promise<{ document: Document; metaData: Metadata }> {
  const raw = await readInput(host, file);
  const metaData = metaDataFile === undefined ? nobodys(raw) : await readMetaDataFile(host, metaDataFile);
  try {
    const library = { host, instance: '', keeps: false };
    return { document: await readUserData(raw, { source: 'file', metaData }, { library }), metaData };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const code = error.refused ? 'ResourceRefused' : 'ResourceNotFetched';
    throw new UsageError(
      `what is included cannot be read: ${error.message} [${code}]`,
      error.refused ? 2 : TRY_AGAIN,
    );
  }
}

function nobodys(raw: Buffer): Metadata {
  const { parts = [] } = decoded(raw, { source: 'file', metaData: {} });
  if (parts.some(({ type }) => type === 'text/jinja2'))
    throw new UsageError(
      'the user data has a template: give the metadata to render it with (--meta-data FILE)',
    );
  // A name without a domain: a document says nothing of a name that the metadata gives.
  return { 'local-hostname': SAMPLE.hostname };
}
