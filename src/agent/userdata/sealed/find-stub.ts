import { dataOf } from '../../../kit/bytes/data-url.ts';
import { gunzip, isGzip } from '../../../kit/bytes/gunzip.ts';
import type { SealedStub } from '../../../protocol/sealed-stub.ts';
import { Diagnostics } from '../../text/diagnostics.ts';
import { MAX_RAW_BYTES } from '../../text/limits.ts';
import { plainText, type SourceText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { type MappingNode, pythonText, valueAt, type YamlNode } from '../../text/yaml/yaml-node.ts';
import type { Part } from '../decode/part.ts';
import { readStub } from './read-stub.ts';

/** Where the stub lies in an Ignition config: a file that Ignition itself may write, for nothing in it is secret. */
const IGNITION_PATH = '/etc/slipway/sealed.yaml';
const KIND = 'SealedUserData';
const ALONE = 'must be the only content of the user data. Seal the rest as well.';

/** What was found among the parts: a stub, `bad` after an error, undefined where there is none. */
export type FoundStub = SealedStub | 'bad' | undefined;

/** Looks for a stub in any of its forms: cloud-config, a MIME part, an Ignition config, or a document of its own. */
export function findStub(parts: readonly Part[], diagnostics: Diagnostics): FoundStub {
  for (const part of parts) {
    const own = diagnostics.of(part.source);
    const found = stubNode(part);
    if (found === undefined) continue;
    if (parts.length > 1 || found.extra) {
      own.error('UserDataInvalid', `sealed ${ALONE}`, found.extra?.where ?? found.node.where);
      return 'bad';
    }
    return readStub(found.node, found.note === undefined ? own : diagnostics.counting(found.note)) ?? 'bad';
  }
  return undefined;
}

interface StubNode {
  readonly node: YamlNode;
  /** Something that stands beside it. */
  readonly extra?: YamlNode | undefined;
  readonly note?: string;
}

function stubNode({ type, source }: Part): StubNode | undefined {
  switch (type) {
    case 'text/cloud-config':
      return inCloudConfig(source);
    case 'application/vnd.slipway+yaml':
      return inDocument(source);
    case 'application/vnd.coreos.ignition+json':
      return inIgnition(source);
    default:
      return undefined;
  }
}

function inCloudConfig(source: SourceText): StubNode | undefined {
  const root = mappingOf(source);
  const slipway = valueAt(root, 'slipway');
  const node = valueAt(slipway, 'sealed');
  if (root === undefined || slipway?.kind !== 'mapping' || node === undefined) return undefined;
  return { node, extra: besides(root, ['slipway']) ?? besides(slipway, ['sealed']) };
}

function inDocument(source: SourceText): StubNode | undefined {
  const root = mappingOf(source);
  if (!root || pythonText(valueAt(root, 'kind') ?? root) !== KIND) return undefined;
  return {
    node: valueAt(root, 'sealed') ?? root,
    extra: besides(root, ['apiVersion', 'kind', 'sealed']),
  };
}

function inIgnition(source: SourceText): StubNode | undefined {
  const root = mappingOf(source);
  const storage = valueAt(root, 'storage');
  const files = valueAt(storage, 'files');
  const all = files?.kind === 'sequence' ? files.items.filter((item) => item.kind === 'mapping') : [];
  const file = all.find((item) => pythonText(valueAt(item, 'path') ?? item) === IGNITION_PATH);
  const contents = valueAt(file, 'contents');
  const url = valueAt(contents, 'source');
  if (root === undefined || storage?.kind !== 'mapping' || file === undefined) return undefined;
  const data = dataOf(url?.kind === 'string' ? url.value : '') ?? Buffer.alloc(0);
  const unzipped = isGzip(data) ? gunzip(data, MAX_RAW_BYTES) : { bytes: data };
  const text = plainText('bytes' in unzipped ? unzipped.bytes.toString('utf8') : '');
  const inner = inDocument(text);
  const other = besides(root, ['ignition', 'storage']) ?? besides(storage, ['files']);
  const extra = other ?? all.find((item) => item !== file);
  if (!inner) return { node: contents ?? file, extra };
  return { ...inner, extra: inner.extra ?? extra, note: `counted in ${IGNITION_PATH}` };
}

/** What is wrong with other user data is told by their own readers. */
function mappingOf(source: SourceText): MappingNode | undefined {
  const root = parseYaml(source, new Diagnostics());
  return root?.kind === 'mapping' ? root : undefined;
}

/** The first entry with another key. */
function besides(node: MappingNode, known: readonly string[]): YamlNode | undefined {
  return node.entries.find(({ key }) => !known.includes(pythonText(key) ?? ''))?.key;
}
