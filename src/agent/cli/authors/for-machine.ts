import { UsageError } from '../../../kit/errors.ts';
import type { Document } from '../../document/document.ts';
import { FetchError } from '../../fetch/fetch.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/report.ts';
import { readDefaultUser } from '../../userdata/image-config.ts';
import { decoded } from '../../userdata/make-document.ts';
import { readUserData } from '../../userdata/read-user-data.ts';

import { readInput } from './input.ts';
import { ofNoImage } from './no-image.ts';
import { type Metadata, readMetaDataFile, SAMPLE } from './sample-metadata.ts';

/** A server may answer later. */
const TRY_AGAIN = 75;

/**
 * User data of a file as one machine, or any, would read it; what is included is read too. A template is rendered for one
 * machine, whose metadata must be given.
 *
 * @param image Its cloud.cfg says what a default user is.
 * @throws UsageError
 */
export async function readForMachine(
  host: Host,
  file: string,
  metaDataFile: string | undefined,
  image?: Host,
): Promise<{ document: Document; metaData: Metadata }> {
  const raw = await readInput(host, file);
  const metaData = metaDataFile === undefined ? nobodys(raw) : await readMetaDataFile(host, metaDataFile);
  try {
    const library = { host, instance: '', keeps: false };
    const defaultUser = image && (await readDefaultUser(image));
    const around = { library, ...(defaultUser ? { image: defaultUser } : {}) };
    const document = await readUserData(raw, { source: 'file', metaData }, around);
    return { document: withRemark(document, image), metaData };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const code = error.refused ? 'ResourceRefused' : 'ResourceNotFetched';
    throw new UsageError(
      `what is included cannot be read: ${error.message} [${code}]`,
      error.refused ? 2 : TRY_AGAIN,
    );
  }
}

/** A machine of an image with cloud-init would make more of the default user. */
function withRemark(document: Document, image: Host | undefined): Document {
  const { bareDefaultUser: bare } = document;
  const report = image
    ? document.report
    : document.report.map((entry) => ({ ...entry, message: ofNoImage(entry.message) ?? entry.message }));
  if (bare === undefined) return { ...document, report };
  const none = image === undefined ? 'no image is known here' : 'the image has none in /etc/cloud/cloud.cfg';
  const message = `user: ${printable(bare.name)} gets no groups, sudo rules or shell but those that are given here: these come from system_info.default_user, and ${none}.`;
  const { where } = bare;
  return {
    ...document,
    report: [...report, { severity: 'warning', code: 'UserDataIgnoredKey', message, where }],
  };
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
