import { errorMessage } from '../../kit/errors.ts';
import { omitUndefined } from '../../kit/json.ts';
import type { Failure } from '../../protocol/journal.ts';
import type { Document, KubeadmCommand } from '../document/document.ts';
import { failure } from '../engine/failure.ts';
import { notedSeed, seedDigest } from '../engine/last-instance.ts';
import { FetchError } from '../fetch/fetch.ts';
import { type Host, HostError } from '../host/host.ts';
import { type Limit, TimeLimitError, unlimited } from '../host/time-limit.ts';
import type { Cloud, Instance, NetworkConfig } from '../platform/instance/instance.ts';
import { ignitionEvidence } from './ignition-evidence.ts';
import { readImageConfig } from './image-config.ts';
import { fromMetaData } from './instance/hostname.ts';
import { documentOfCall } from './make-document.ts';
import { findDropIns } from './native/drop-ins.ts';
import { NetworkStage, NetworkUnavailable, type SetUpNetwork } from './network-stage.ts';
import { readNodeFiles } from './node-settings/node-files.ts';
import { readUserData } from './read-user-data.ts';
import { type Found, foundIn, type SourceAnswer, type SourceCallback } from './sources/contract/answer.ts';
import { SOURCES_FILE } from './sources/detection/sources-file.ts';
import { findUserData } from './sources/find.ts';
import { codeOfUnreadable } from './unreadable.ts';
import {
  type NoDocument,
  type OpenedUserData,
  type OpenUserData,
  REFERENCE_ONLY,
  type UserDataReference,
} from './user-data-reference.ts';

/** A document, or why there is none. `permanent`: another look at the next boot will not help. */
export type Loaded =
  | {
      kind: 'document';
      document: Document;
      callbacks: readonly SourceCallback[];
      /** As they came. */
      userData: Buffer;
      /** Reads others in their place, with the same metadata. */
      read(userData: Buffer): Promise<Document>;
      cloud?: Cloud;
      /** What is to be noted of them as of a volume's, or null; absent where a file was named. */
      seed?: string | null;
      /** They lay elsewhere. */
      handedOver?: Pick<OpenedUserData, 'digest' | 'spend'>;
    }
  | NoDocument;

/** Paths from the command line, in the agent's own file system, whatever `--root` is. */
export interface LoadOptions {
  userDataFile?: string;
  metaDataFile?: string;
  networkFile?: string;
  /** The name of the only source to ask. */
  source?: string;
  /** Keep what is to be included once; a plan changes nothing. */
  keepsIncluded?: boolean;
  /** Ends whatever is being included; made for who asks. */
  signal?(): AbortSignal;
  /** How long reading may hold this process; absent: as long as it takes. */
  limit?: Limit;
  /** Says why nothing is to be read of what a volume has a part in. */
  refuse?(found: Found): Promise<Failure | undefined>;
  /** Absent: user data that lie elsewhere stay there, and are no document. */
  open?: OpenUserData;
  /** Sets the network up before anybody is asked over it; a plan leaves it as it is. */
  setUpNetwork?: SetUpNetwork;
}

/** Finds and reads this machine's user data. For bad user data, the document's report has errors. */
export async function loadDocument(host: Host, options: LoadOptions): Promise<Loaded> {
  const { userDataFile, metaDataFile, networkFile, source } = options;
  const stage = new NetworkStage(host, options.setUpNetwork);
  let answer: SourceAnswer | undefined;
  try {
    answer = await findUserData(stage.host, {
      ...omitUndefined({ userDataFile, metaDataFile, networkFile, source }),
      files: host.ownFiles,
      offerNetwork: await networkOffer(host, stage, options.refuse),
      ...(options.refuse ? { refuse: options.refuse } : {}),
    });
    const given = foundIn(answer);
    const strange = given?.fromVolume && (await options.refuse?.(given));
    if (strange) return none(true, strange);
    const loaded = noted(await fromAnswer(stage, answer, options), given, userDataFile);
    return ofInstance(answer, userDataFile === undefined ? await notTwice(host, loaded) : loaded);
  } catch (error) {
    return ofInstance(answer, noneFor(error, userDataFile !== undefined));
  }
}

/** A machine that was set up once has a network; none of a volume's is taken before it is known whose volume that is. */
export async function networkOffer(
  host: Host,
  stage: NetworkStage,
  refuse: LoadOptions['refuse'],
): Promise<(config: NetworkConfig) => void> {
  const isSetUp = refuse !== undefined && (await notedSeed(host)) !== undefined;
  return (config) => {
    if (!isSetUp || !/\(\/dev\//.test(config.place)) stage.offer(config);
  };
}

function noted(loaded: Loaded, given: Found | undefined, file: string | undefined): Loaded {
  if (loaded.kind === 'none' || file !== undefined) return loaded;
  return { ...loaded, seed: given?.fromVolume ? seedDigest(given.volumeSays ?? given.userData) : null };
}

/** @throws what says nothing of the user data */
function noneFor(error: unknown, isNamed: boolean): NoDocument {
  if (error instanceof NetworkUnavailable) return none(error.permanent, error.failure);
  if (error instanceof TimeLimitError) return none(false, failure('DeadlineExceeded', TOO_LONG));
  if (error instanceof FetchError) return none(false, failure('ResourceNotFetched', error.message));
  if (!(error instanceof HostError)) throw error;
  const isSetting = error.path === SOURCES_FILE && error.errno === 'EINVAL';
  const code = isSetting ? 'UserDataInvalid' : codeOfUnreadable(error);
  const isLasting = isNamed || error.errno === 'EFBIG' || error.errno === 'EINVAL';
  const isOfPath = code === 'UserDataNotFound' || code === 'UserDataUnreadable';
  const named = isNamed && isOfPath ? { remedy: NAMED } : {};
  return none(
    isLasting,
    failure(code, errorMessage(error), error.errno === 'EACCES' ? { remedy: FORBIDDEN } : named),
  );
}

const TOO_LONG =
  'Reading the user data took until the deadline, and none of it was applied: it is far larger than user data for a node.';

const FORBIDDEN = 'Run it as root (sudo): user data contains secrets, so other users cannot read it.';

const NAMED =
  'Pass existing, readable files (--user-data, --meta-data, --network-config), or none to search for a source.';

/** The document of a call of kubeadm. @throws HostError if the node's settings are unreadable */
export async function loadCall(host: Host, command: KubeadmCommand): Promise<Document> {
  return documentOfCall(command, await readNodeFiles(host));
}

async function fromAnswer(
  stage: NetworkStage,
  answer: SourceAnswer,
  { userDataFile: file, networkFile, keepsIncluded = false, open, signal, limit = unlimited }: LoadOptions,
): Promise<Loaded> {
  const { host } = stage;
  switch (answer.kind) {
    case 'found': {
      const onDisk = await readNodeFiles(host);
      // What cloud-init found for the image's default user, and vendor data, it has acted upon itself.
      const hasRun = answer.source.startsWith('cloud-init ');
      const image = hasRun ? undefined : await readImageConfig(host);
      const instance = String(answer.metaData['instance-id'] ?? '');
      const library = { host, instance, keeps: keepsIncluded, ...(signal ? { signal } : {}) };
      const around = { onDisk, library, ...(image ? { image } : {}), opensSealed: true, limit };
      // Whoever names a file of user data is on the machine already, by its network as it is.
      const isLeft = hasRun || (file !== undefined && networkFile === undefined);
      const network = isLeft ? { report: [] } : await stage.decide(answer.networkConfig);
      const given = {
        ...(hasRun ? withoutVendor(answer) : answer),
        ...(network.settings ? { network: network.settings } : {}),
        remarks: [...(answer.remarks ?? []), ...network.report],
      };
      const { userData, callbacks = [], cloud } = answer;
      const read = (bytes: Buffer) => readUserData(bytes, given, around);
      const complete = async (document: Document) => withDocuments(host, document, given);
      const first = await read(userData);
      const elsewhere = first.sealed ?? first.chunked;
      if (elsewhere) {
        if (open !== undefined) await stage.ready();
        const loaded = await handedOver(elsewhere, answer, read, open);
        return loaded.kind === 'none' ? loaded : { ...loaded, document: await complete(loaded.document) };
      }
      const document = await complete(first);
      // A source that tells of the machine alone does not serve the user data.
      const server = answer.metadataOf === undefined ? cloud : undefined;
      return { kind: 'document', document, callbacks, userData, read, ...(server ? { cloud: server } : {}) };
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

/** What lies elsewhere, read as if it had come first. */
async function handedOver(
  elsewhere: UserDataReference,
  { metaData, cloud, callbacks = [] }: Found,
  read: (userData: Buffer) => Promise<Document>,
  open: OpenUserData | undefined,
): Promise<Loaded> {
  if (!open) {
    return none(true, failure('UserDataSealed', REFERENCE_ONLY));
  }
  const hostname = fromMetaData(metaData)?.name;
  const opened = await open(elsewhere, {
    ...(hostname === undefined ? {} : { hostname }),
    ...(cloud?.providerId === undefined ? {} : { providerID: cloud.providerId }),
  });
  if (opened.kind === 'none') return opened;
  const { userData, digest, spend } = opened;
  const document = await read(userData);
  if (document.sealed || document.chunked) {
    const cause = 'The fetched content is another reference to user data; it must be the user data itself.';
    return none(true, failure('UserDataInvalid', cause));
  }
  return {
    kind: 'document',
    document,
    callbacks,
    userData,
    read,
    handedOver: { digest, ...(spend ? { spend } : {}) },
  };
}

/** Joins the documents of /etc/slipway/config.d; the code for it is loaded only where there are any. */
async function withDocuments(
  host: Host,
  document: Document,
  instance: Pick<Instance, 'cloud' | 'metaData'>,
): Promise<Document> {
  const dropIns = await findDropIns(host);
  if (dropIns.length === 0) return document;
  const { withDropIns } = await import('./native/drop-ins.ts');
  return withDropIns(document, dropIns, instance);
}

function withoutVendor<Answer extends { vendorData?: Buffer }>({ vendorData: _, ...answer }: Answer) {
  return answer;
}

/** Where Ignition acts upon its config, nobody else does. */
async function notTwice(host: Host, loaded: Loaded): Promise<Loaded> {
  if (loaded.kind !== 'document' || loaded.document.order !== 'stages') return loaded;
  // Ignition itself saw the stub and nothing behind it.
  if (loaded.handedOver) return loaded;
  const trace = await ignitionEvidence(host);
  if (trace === undefined) return loaded;
  const cause = `The user data is an Ignition config, and ${trace} shows that Ignition itself applies it on this image.`;
  return none(true, failure('IgnitionHasRun', cause));
}

function notFound(looked: readonly string[]): string {
  const places = looked.length === 0 ? '' : ` Looked at: ${looked.join('; ')}.`;
  return `No source of user data answered on this machine.${places}`;
}

/** Where there is no document, with whose it would be: the source may have said it all the same. */
function ofInstance(answer: SourceAnswer | undefined, loaded: Loaded): Loaded {
  if (loaded.kind !== 'none') return loaded;
  const id = answer && foundIn(answer)?.metaData['instance-id'];
  return id === undefined || id === null ? loaded : { ...loaded, instance: String(id) };
}

function none(permanent: boolean, reason: Failure): NoDocument {
  return { kind: 'none', permanent, failure: reason };
}
