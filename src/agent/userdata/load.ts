import { errorMessage } from '../../kit/errors.ts';
import type { Failure } from '../../protocol/journal.ts';
import type { Document, KubeadmCommand } from '../document/document.ts';
import { codeOf, failure } from '../engine/failure.ts';
import { FetchError } from '../fetch/fetch.ts';
import { type Host, HostError } from '../host/host.ts';
import { traceOfIgnition } from './ignition-has-run.ts';
import { readImageConfig } from './image-config.ts';
import type { Cloud } from './instance/instance.ts';
import { findDropIns } from './native/find-drop-ins.ts';
import { readNodeFiles } from './node/node-files.ts';
import { documentOf } from './read-document.ts';
import { readUserData } from './read-user-data.ts';
import type { Duty, SourceAnswer } from './sources/contract/answer.ts';
import { findUserData } from './sources/find.ts';

/** A document, or why there is none. `permanent`: another look at the next boot will not help. */
export type Loaded =
  | {
      kind: 'document';
      document: Document;
      duties: readonly Duty[];
      /** As they came. */
      userData: Buffer;
      /** Reads others in their place, with the same metadata. */
      read(userData: Buffer): Promise<Document>;
      cloud?: Cloud;
    }
  | { kind: 'none'; permanent: boolean; failure: Failure };

/** Paths from the command line, in the agent's own file system, whatever `--root` is. */
export interface LoadOptions {
  userDataFile?: string;
  metaDataFile?: string;
  /** The name of the only source to ask. */
  source?: string;
  /** Keep what is to be included once; a plan changes nothing. */
  keepsIncluded?: boolean;
}

/** Finds and reads this machine's user data. For bad user data, the document's report has errors. */
export async function loadDocument(host: Host, options: LoadOptions): Promise<Loaded> {
  const { userDataFile, metaDataFile, source } = options;
  try {
    const answer = await findUserData(host, {
      ...(userDataFile === undefined ? {} : { userDataFile }),
      ...(metaDataFile === undefined ? {} : { metaDataFile }),
      ...(source === undefined ? {} : { source }),
      files: host.ownFiles,
    });
    const loaded = await fromAnswer(host, answer, options);
    return userDataFile === undefined ? await notTwice(host, loaded) : loaded;
  } catch (error) {
    if (error instanceof FetchError) return none(false, failure('ResourceNotFetched', error.message));
    if (!(error instanceof HostError)) throw error;
    const code = error.errno === 'EFBIG' ? 'UserDataTooLarge' : codeOf(error, 'UserDataNotFound');
    const isLasting = userDataFile !== undefined || error.errno === 'EFBIG' || error.errno === 'EINVAL';
    return none(isLasting, failure(code, errorMessage(error)));
  }
}

/** The document of a call of kubeadm. @throws HostError if the node's settings are unreadable */
export async function loadCall(host: Host, command: KubeadmCommand): Promise<Document> {
  return documentOf(command, await readNodeFiles(host));
}

async function fromAnswer(
  host: Host,
  answer: SourceAnswer,
  { userDataFile: file, keepsIncluded = false }: LoadOptions,
): Promise<Loaded> {
  switch (answer.kind) {
    case 'found': {
      const onDisk = await readNodeFiles(host);
      // What cloud-init found for the image's default user, and vendor data, it has acted upon itself.
      const hasRun = answer.source.startsWith('cloud-init ');
      const image = hasRun ? undefined : await readImageConfig(host);
      const instance = String(answer.metaData['instance-id'] ?? '');
      const library = { host, instance, keeps: keepsIncluded };
      const around = { onDisk, library, ...(image ? { image } : {}) };
      const given = hasRun ? withoutVendor(answer) : answer;
      const { userData, duties = [], cloud } = answer;
      const read = (bytes: Buffer) => readUserData(bytes, given, around);
      const document = await withDocuments(host, await read(userData), given.metaData);
      return { kind: 'document', document, duties, userData, read, ...(cloud ? { cloud } : {}) };
    }
    case 'empty':
      return none(true, failure('UserDataEmpty', `The user data of ${file ?? answer.source} is empty.`));
    case 'needs-network':
    case 'not-yet':
      return none(false, failure('MetadataUnreachable', answer.reason));
    case 'refused':
      return none(true, failure('MetadataRefused', answer.reason));
    default:
      return none(false, failure('UserDataNotFound', notFound(answer.looked ?? [])));
  }
}

/** With documents of /etc/slipway/config.d; what joins them is loaded only where there are any. */
async function withDocuments(
  host: Host,
  document: Document,
  metaData: Record<string, unknown>,
): Promise<Document> {
  const dropIns = await findDropIns(host);
  if (dropIns.length === 0) return document;
  const { withDropIns } = await import('./native/drop-ins.ts');
  return withDropIns(document, dropIns, metaData);
}

function withoutVendor<Answer extends { vendorData?: Buffer }>({ vendorData: _, ...answer }: Answer) {
  return answer;
}

/** Where Ignition acts upon its config, nobody else does. */
async function notTwice(host: Host, loaded: Loaded): Promise<Loaded> {
  if (loaded.kind !== 'document' || loaded.document.format !== 'ignition') return loaded;
  const trace = await traceOfIgnition(host);
  if (trace === undefined) return loaded;
  const cause = `The user data is an Ignition config, and ${trace} shows that Ignition itself acts upon it on this image.`;
  return none(true, failure('IgnitionHasRun', cause));
}

function notFound(looked: readonly string[]): string {
  const places = looked.length === 0 ? '' : ` Looked at: ${looked.join('; ')}.`;
  return `No source of user data answered on this machine.${places}`;
}

function none(permanent: boolean, reason: Failure): Loaded {
  return { kind: 'none', permanent, failure: reason };
}
