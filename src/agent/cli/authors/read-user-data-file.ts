import { UsageError } from '../../../kit/errors.ts';
import type { Document } from '../../document/document.ts';
import { FetchError } from '../../fetch/fetch.ts';
import type { Host } from '../../host/host.ts';
import { printable } from '../../text/diagnostics.ts';
import { readDefaultUser } from '../../userdata/image-config.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { withoutImageMessage } from './input.ts';
import { type Metadata, readMetaDataFile, SAMPLE_METADATA } from './sample-metadata.ts';

/** A server may answer later. */
const TRY_AGAIN = 75;

/**
 * User data as one machine, or any, would read it; what is included is read too. A template is rendered for one machine, whose
 * metadata must be given.
 *
 * @param image Its cloud.cfg says what a default user is.
 * @throws UsageError
 */
export async function readUserDataFile(
  host: Host,
  raw: Buffer,
  metaDataFile: string | undefined,
  image?: Host,
): Promise<Document> {
  if (metaDataFile !== undefined)
    return readWith(host, raw, await readMetaDataFile(host, metaDataFile), image);
  let isTemplate = false;
  const onTemplate = () => {
    isTemplate = true;
  };
  const document = await readWith(host, raw, ANYBODY, image, onTemplate);
  if (!isTemplate) return document;
  throw new UsageError(
    'the user data has a template: give the metadata to render it with (--meta-data FILE)',
  );
}

/** User data as a machine reads them of which everything is different that metadata can say. @throws UsageError */
export function readForOther(host: Host, raw: Buffer): Promise<Document> {
  return readWith(host, raw, SOMEBODY_ELSE);
}

const ANYBODY: Metadata = { 'local-hostname': SAMPLE_METADATA.hostname };

const SOMEBODY_ELSE: Metadata = {
  'instance-id': 'i-other',
  'local-hostname': 'other.example.internal',
  'public-keys': ['ssh-ed25519 AAAA other'],
  'launch-index': '999999999',
};

async function readWith(
  host: Host,
  raw: Buffer,
  metaData: Metadata,
  image?: Host,
  onTemplate?: () => void,
): Promise<Document> {
  try {
    const library = { host, instance: '', keeps: false };
    const defaultUser = image && (await readDefaultUser(image));
    const around = { library, ...(defaultUser ? { image: defaultUser } : {}) };
    const instance = { source: 'file', metaData, ...(onTemplate ? { onTemplate } : {}) };
    return withRemark(await readUserData(raw, instance, around), image);
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
  const diagnostics = image
    ? document.report
    : document.report.map((entry) => ({
        ...entry,
        message: withoutImageMessage(entry.message) ?? entry.message,
      }));
  if (bare === undefined) return { ...document, report: diagnostics };
  const none = image === undefined ? 'no image is known here' : 'the image has none in /etc/cloud/cloud.cfg';
  const message = `user: ${printable(bare.name)} gets no groups, sudo rules or shell but those that are given here: these come from system_info.default_user, and ${none}.`;
  const { where } = bare;
  return {
    ...document,
    report: [...diagnostics, { severity: 'warning', code: 'UserDataIgnoredKey', message, where }],
  };
}
