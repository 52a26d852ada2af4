import { sensitive } from '../../../secrets/sensitive.ts';
import type { Document, FileEntry, UserEntry } from '../../document/document.ts';
import type { NodeSettings } from '../../document/node-settings.ts';
import { storageOfWritten, type WrittenStorage } from '../../document/storage-as-written.ts';
import { isSecretReference, readReference } from '../../stores/reference/reference.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { shapeMismatches } from '../../text/shape/check-shape.ts';
import type { SourceText } from '../../text/source-text.ts';
import { sudoRuleProblem } from '../../text/sudo-rule.ts';
import { Fields } from '../../text/yaml/fields.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { type MappingNode, pythonText, valueAt, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { readExpect } from '../node-settings/expect.ts';
import { readLabels } from '../node-settings/labels.ts';
import { readSecrets } from '../node-settings/secrets.ts';
import { BYTES, defaultsOf, MODES, POSITIONED, SECRET } from './fields.ts';
import { asLogin } from './of-metadata.ts';
import { DOCUMENT_SHAPE } from './shapes.ts';

type Plain = Record<string, unknown>;

/** What the one document says. */
export interface Native {
  content: Partial<Document> & Required<Pick<Document, 'order'>>;
  /** What it says of the machine's name; absent: nothing. */
  name?: Pick<Document, 'saidName' | 'keepsName'>;
}

/**
 * Reads the one document, `slipway.dev/v1alpha1`. Everything that is not as its schema says is an error at its place: nobody
 * else reads this format, so what is not known is a mistake.
 *
 * @returns undefined if `diagnostics` got an error
 */
export function readNative(source: SourceText, diagnostics: Diagnostics): Native | undefined {
  const root = parseYaml(source, diagnostics);
  if (root === undefined) return undefined;
  const wrong = shapeMismatches(DOCUMENT_SHAPE, root, 'document');
  for (const { path, expected, where } of wrong)
    diagnostics.error('UserDataInvalid', `${path.replace(/^document\./, '')} ${expected}.`, where);
  if (wrong.length > 0 || root.kind !== 'mapping' || !isOfOneOrder(root, diagnostics)) return undefined;
  const { order, keepHostname, hostname, apiVersion: _version, kind: _kind, ...all } = mapping(root, '');
  const { disks, partitionings, filesystems, volumes, ...rest } = all as Plain & WrittenStorage;
  const content: Native['content'] = {
    ...rest,
    ...storageOfWritten({ disks, partitionings, filesystems, volumes } as WrittenStorage),
    order: order === 'ignition' ? 'stages' : 'modules',
    keys: keysOf(root),
  };
  const nodeSection = valueAt(root, 'node');
  if (content.node !== undefined && nodeSection?.kind === 'mapping')
    content.node = { ...content.node, ...asAuthorsWrite(nodeSection, diagnostics) };
  if (content.system?.loginKeys !== undefined) {
    const { loginKeys, ...system } = content.system;
    content.system = system;
    content.saidLogin = asLogin(loginKeys);
  }
  content.files = content.files?.map((file) => ruled(file, order === 'ignition')) ?? [];
  if (!content.files.every((file) => isReadable(file, diagnostics))) return undefined;
  for (const user of content.users ?? []) refuseRules(user, diagnostics);
  if (keepHostname !== true && hostname === undefined) return { content };
  const saidName = hostname as Document['saidName'];
  const name = {
    ...(saidName ? { saidName } : {}),
    ...(keepHostname === true ? { keepsName: true as const } : {}),
  };
  return { content, name };
}

function keysOf({ entries }: MappingNode): NonNullable<Document['keys']> {
  return entries.flatMap(({ key, value }) => {
    const name = pythonText(key) ?? '';
    const inner = (name === 'system' || name === 'node') && value.kind === 'mapping' ? keysOf(value) : [];
    return [{ name, where: key.where }, ...inner];
  });
}

/** What stands in the document in the words of its author, as in cloud-config, and has meaning once it is read. */
function asAuthorsWrite(
  section: MappingNode,
  diagnostics: Diagnostics,
): Pick<NodeSettings, 'labels' | 'expect' | 'secrets'> {
  const fields = new Fields(section, 'node', diagnostics);
  const inner = (name: string): Fields | undefined => {
    const node = fields.node(name);
    return node?.kind === 'mapping' ? new Fields(node, `node.${name}`, diagnostics) : undefined;
  };
  const [labels, expect, secrets] = [inner('labels'), inner('expect'), inner('secrets')];
  return {
    ...(labels ? { labels: readLabels(labels) } : {}),
    ...(expect ? { expect: readExpect(expect, diagnostics) } : {}),
    ...(secrets ? { secrets: readSecrets(secrets, diagnostics) } : {}),
  };
}

/** What has no place in the order of Ignition's stages. */
const NOT_IN_IGNITION = ['bootCommands', 'bootScripts', 'disks', 'filesystems', 'mounts', 'ntp', 'system'];
/** Two ways to say the same. */
const EITHER = [
  ['disks', 'partitionings'],
  ['filesystems', 'volumes'],
] as const;

/** What would be left undone is an error. */
function isOfOneOrder(root: MappingNode, diagnostics: Diagnostics): boolean {
  const keys = new Map(root.entries.map(({ key, value }) => [pythonText(key) ?? '', { key, value }]));
  const order = keys.get('order')?.value;
  const isIgnition = order?.kind === 'string' && order.value === 'ignition';
  const lost = isIgnition ? NOT_IN_IGNITION.filter((name) => keys.has(name)) : [];
  for (const name of lost)
    diagnostics.error(
      'UserDataInvalid',
      `${name} is not supported with order: ignition.`,
      keys.get(name)?.key.where,
    );
  const double = EITHER.filter(([one, other]) => keys.has(one) && keys.has(other));
  for (const [one, other] of double)
    diagnostics.error(
      'UserDataInvalid',
      `${one} and ${other} are both set; set only one of them.`,
      keys.get(other)?.key.where,
    );
  return lost.length + double.length === 0;
}

/** References to secrets are read here for what is wrong with them. */
function isReadable({ path, from, where }: FileEntry, diagnostics: Diagnostics): boolean {
  const address = from?.url.reveal() ?? '';
  const reference = isSecretReference(address) ? readReference(address) : {};
  if (!('problem' in reference)) return true;
  diagnostics.error('UserDataInvalid', `files: the reference of ${path} ${reference.problem}.`, where);
  return false;
}

function refuseRules({ sudo, where }: UserEntry, diagnostics: Diagnostics): void {
  const at = sudo.findIndex((rule) => sudoRuleProblem(rule) !== undefined);
  if (at < 0) return;
  const why = sudoRuleProblem(sudo[at] ?? '');
  diagnostics.error('UserDataInvalid', `users: sudo cannot read rule ${at + 1}: ${why}.`, where);
}

/**
 * A file of Ignition takes the place of what is there, unless it says more; so does one whose content is fetched and held
 * against a hash, which may be too large for the memory.
 */
function ruled(file: FileEntry, isIgnition: boolean): FileEntry {
  const isSecret = isSecretReference(file.from?.url.reveal() ?? '');
  const needsFile = file.from?.hash !== undefined || file.from?.isCompressed === true;
  const needsRule = isIgnition || (needsFile && !isSecret);
  return needsRule && file.rule === undefined ? { ...file, rule: { present: 'remove', unsaid: [] } } : file;
}

function mapping(node: MappingNode, path: string): Plain {
  const given = Object.fromEntries(
    node.entries.map(({ key, value }) => {
      const name = pythonText(key) ?? '';
      return [name, field(value, path === '' ? name : `${path}.${name}`)];
    }),
  );
  const defaults = Object.entries(defaultsOf(path, given)).filter(([name]) => !(name in given));
  const added = defaults.map(([name, value]) => [
    name,
    filled(value, path === '' ? name : `${path}.${name}`),
  ]);
  return {
    ...given,
    ...Object.fromEntries(added),
    ...(POSITIONED.has(path) ? { where: node.where } : {}),
  };
}

function field(node: YamlNode, path: string): unknown {
  const value = decoded(node, path);
  return filled(value, path);
}

/** A value as the document has it: modes are numbers, secrets are wrapped. */
function filled(value: unknown, path: string): unknown {
  if (BYTES.has(path)) return sensitive(bytesOf(value));
  if (SECRET.has(path)) return sensitive(value);
  if (MODES.has(path)) return Number.parseInt(String(value), 8);
  return Array.isArray(value) ? [...value] : value;
}

function decoded(node: YamlNode, path: string): unknown {
  switch (node.kind) {
    case 'mapping': {
      const [only, ...others] = node.entries;
      const isWrapped = others.length === 0 && only !== undefined && pythonText(only.key) === 'secret';
      return isWrapped ? sensitive(decoded(only.value, path)) : mapping(node, path);
    }
    case 'sequence':
      return node.items.map((item) => decoded(item, path));
    case 'null':
      return null;
    case 'int':
      return Number(node.value);
    default:
      return node.value;
  }
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  return Buffer.from(String((value as Plain).base64), 'base64');
}

/** A document with what another adds: lists go on, everything else takes the place of what was said before. */
export function joinDocument(document: Document, { content, name }: Native): Document {
  const { order: _order, node, ...added } = content;
  const earlierOnes = new Map(Object.entries(document));
  const entries = Object.entries(added).map(([key, value]): [string, unknown] => {
    const earlier = earlierOnes.get(key);
    return [key, Array.isArray(earlier) && Array.isArray(value) ? [...earlier, ...value] : value];
  });
  const { saidName, keepsName, ...all } = { ...document, ...Object.fromEntries(entries) } as Document;
  const before = { ...(saidName ? { saidName } : {}), ...(keepsName ? { keepsName } : {}) };
  return {
    ...all,
    ...(node === undefined ? {} : { node: { ...document.node, ...node } }),
    ...(name ?? before),
  };
}
