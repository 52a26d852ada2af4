import { createHash } from 'node:crypto';
import type { AlternativeName } from '../../pki/alternative-names.ts';
import { readAlternativeNames } from '../../pki/alternative-names.ts';
import { OID } from '../../pki/oids.ts';
import { type CertificationRequest, readRequest } from '../../pki/request.ts';
import { type SigningRequest, type Use, useOf } from './signing-request.ts';
import { deny, leave, type Verdict } from './verdict.ts';

/** A request of a kubelet that is well-formed; whose it is and whether it may have it is still open. */
export interface ParsedRequest {
  /** The name of the CertificateSigningRequest. */
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly use: Use;
  /** The name of the Node. */
  readonly node: string;
  /** The node itself asked, or whoever has a bootstrap token. */
  readonly by: 'node' | 'bootstrap';
  readonly names: readonly AlternativeName[];
  /** SHA-256 of the public key (SubjectPublicKeyInfo), in hex. */
  readonly keyDigest: string;
}

const NODE_USER = 'system:node:';
const NODE_GROUP = 'system:nodes';
const BOOTSTRAP_USER = 'system:bootstrap:';
/** kubelets write a tenth of this. */
const MAX_BYTES = 16 * 1024;
/** As long as kube-controller-manager signs for unless told otherwise. */
const MAX_SECONDS = 365 * 24 * 3600;
const USAGES: Readonly<Record<Use, readonly string[]>> = {
  // RSA keys used to need key encipherment, and kubelets before 1.27 ask for it with every key.
  client: ['client auth,digital signature', 'client auth,digital signature,key encipherment'],
  serving: ['digital signature,key encipherment,server auth', 'digital signature,server auth'],
};
const NODE_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const SUBJECT: Readonly<Record<string, string>> = { [OID.commonName]: 'CN', [OID.organization]: 'O' };

/**
 * What can be said of a request by itself. Nobody but nodes and bootstrap tokens is answered: others have their own
 * approvers.
 *
 * @param bootstrapGroups one of which a bootstrap token must be of
 */
export function examine(object: SigningRequest, bootstrapGroups: readonly string[]): ParsedRequest | Verdict {
  const { metadata, spec } = object;
  const use = useOf(object);
  if (use === undefined) return leave(`it is for the signer ${spec.signerName}`);
  const by = requestorOf(spec, bootstrapGroups);
  if (by === undefined)
    return leave(`it was made by ${spec.username}, who is neither a node nor a bootstrap token that counts`);
  if (spec.request.length > MAX_BYTES * (4 / 3))
    return deny(`the request has more than ${MAX_BYTES / 1024} KiB`);
  let wanted: CertificationRequest;
  let names: readonly AlternativeName[];
  try {
    wanted = readRequest(Buffer.from(spec.request, 'base64').toString('latin1'));
    names = namesOf(wanted);
  } catch (error) {
    return deny(`the request is not good: ${(error as Error).message}`);
  }
  const node = namedNode(wanted);
  const why =
    typeof node === 'string'
      ? wrongWith({ ...spec, use, by, node, names, wanted })
      : `its subject is not O=${NODE_GROUP}, CN=${NODE_USER}NAME alone: ${node.subject}`;
  if (why !== undefined || typeof node !== 'string') return deny(why ?? '');
  const { name, uid = '', resourceVersion: version = '', creationTimestamp = '' } = metadata;
  const key = wanted.key.export({ type: 'spki', format: 'der' });
  const keyDigest = createHash('sha256').update(key).digest('hex');
  return { name, uid, version, madeAt: Date.parse(creationTimestamp) || 0, use, node, by, names, keyDigest };
}

/** The name of a node that is this user. */
export function nodeOf(username = ''): string | undefined {
  return username.startsWith(NODE_USER) ? username.slice(NODE_USER.length) : undefined;
}

function requestorOf(
  { username = '', groups = [] }: SigningRequest['spec'],
  bootstrapGroups: readonly string[],
): ParsedRequest['by'] | undefined {
  if (nodeOf(username) !== undefined && groups.includes(NODE_GROUP)) return 'node';
  const isToken = username.startsWith(BOOTSTRAP_USER);
  return isToken && bootstrapGroups.some((group) => groups.includes(group)) ? 'bootstrap' : undefined;
}

/** @throws Error where the extension is damaged */
function namesOf({ extensions }: CertificationRequest): AlternativeName[] {
  const own = extensions.filter(({ type }) => type === OID.subjectAltName);
  return own.flatMap(({ value }) => readAlternativeNames(value));
}

function namedNode({ subject }: CertificationRequest): string | { subject: string } {
  const [organization, name] = [OID.organization, OID.commonName].map((type) =>
    subject.find((part) => part.type === type),
  );
  const node = nodeOf(name?.value) ?? '';
  if (subject.length === 2 && organization?.value === NODE_GROUP && NODE_NAME.test(node)) return node;
  const told = subject.map(({ type, value }) => `${SUBJECT[type] ?? type}=${value}`).join(', ');
  return { subject: told.slice(0, 300) || 'it is empty' };
}

type Whole = SigningRequest['spec'] &
  Pick<ParsedRequest, 'use' | 'by' | 'node' | 'names'> & { wanted: CertificationRequest };

function wrongWith({ use, by, node, names, wanted, ...spec }: Whole): string | undefined {
  const { usages = [], username = '', expirationSeconds = 0 } = spec;
  if (by === 'node' && username !== `${NODE_USER}${node}`)
    return `${username} asks for a certificate of ${NODE_USER}${node}; a node asks for its own only`;
  if (by === 'bootstrap' && use === 'serving')
    return 'a bootstrap token asks for a serving certificate; only the node itself may';
  if (!USAGES[use].includes([...usages].sort().join()))
    return `its usages are ${usages.join(', ') || 'none'}; those of a kubelet are digital signature, key encipherment, ${use === 'client' ? 'client' : 'server'} auth`;
  if (expirationSeconds > MAX_SECONDS) return 'it asks for a certificate of more than a year';
  if (wanted.others.length > 0)
    return `it has attributes that no kubelet writes: ${wanted.others.join(', ')}`;
  const types = wanted.extensions.map(({ type }) => type);
  const strange = types.find((type, at) => type !== OID.subjectAltName || at > 0 || use === 'client');
  if (strange === OID.subjectAltName)
    return `it asks for names (${shown(names)}); a client's certificate has none`;
  if (strange !== undefined) return `it asks for the extension ${strange}`;
  const other = names.find(({ kind }) => kind === 'other');
  if (other) return `it asks for ${other.value} as a name`;
  return use === 'serving' && names.length === 0 ? 'it names neither a host nor an address' : undefined;
}

function shown(names: readonly AlternativeName[]): string {
  return names
    .map(({ value }) => value)
    .join(', ')
    .slice(0, 200);
}
