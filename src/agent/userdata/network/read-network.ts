import { positionText } from '../../../kit/position.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { Diagnostic } from '../../document/document.ts';
import type { NetworkLink, NetworkSettings } from '../../document/network-settings.ts';
import type { NetworkConfig } from '../../platform/instance/instance.ts';
import { Diagnostics, printable } from '../../text/diagnostics.ts';
import { plainText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { type MappingNode, pythonText, valueAt, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { type InterfaceNames, readOpenStackNetwork } from './openstack.ts';
import { warnOfShapes } from './shape/warn-of-shapes.ts';
import { readVersion1, withMembers } from './version1.ts';
import { readVersion2 } from './version2.ts';

/** Links of one configuration: a machine has fewer by far. */
const MOST_LINKS = 500;

/** What came of a configuration: nothing where it says so, or after an error. */
interface NetworkRead {
  settings?: NetworkSettings;
  /** `{config: disabled}`: the network stays as it is. */
  isDisabled: boolean;
  report: Diagnostic[];
  /** The same where the configuration itself is what is looked at: places are its own. */
  own: Diagnostic[];
}

/**
 * Reads a network configuration of any format. What is wrong is told with line and column of its own text, which `place` names.
 */
export function readNetwork(config: NetworkConfig, cards: InterfaceNames = new Map()): NetworkRead {
  const diagnostics = new Diagnostics();
  warnOfReplaced(config.text, diagnostics);
  const root = config.text.trim() === '' ? undefined : parseYaml(plainText(config.text), diagnostics);
  const read = root && interpreted(root, config, diagnostics, cards);
  const told = {
    report: diagnostics.entries.map((entry) => placed(entry, config.place)),
    own: diagnostics.entries,
  };
  if (read === 'disabled') return { isDisabled: true, ...told };
  if (read === undefined || diagnostics.failed || isEmpty(read)) return { isDisabled: false, ...told };
  const { plain, ...settings } = read;
  const netplan =
    plain === undefined ? {} : { netplan: sensitive(JSON.stringify({ network: plain }, asNumbers)) };
  const links = withMembers(settings.links);
  return {
    isDisabled: false,
    ...told,
    settings: { place: config.place, ...settings, links, ...netplan },
  };
}

/** Sources hand texts on, in which this letter stands for bytes that are no UTF-8; cloud-init's decode_binary raises there. */
function warnOfReplaced(text: string, diagnostics: Diagnostics): void {
  const at = text.indexOf('\ufffd');
  if (at === -1) return;
  const message =
    'This is U+FFFD, which replaces bytes that are not UTF-8; cloud-init rejects a network configuration with such bytes.';
  diagnostics.warn('UserDataNotUtf8', message, plainText(text).locate(at));
}

type Read = Omit<NetworkSettings, 'place' | 'netplan'> & { plain?: unknown };

function interpreted(
  node: YamlNode,
  { format, isOneKeyOf }: NetworkConfig,
  diagnostics: Diagnostics,
  cards: InterfaceNames,
): Read | 'disabled' | undefined {
  const wrong = (message: string, where = node.where) => diagnostics.error('UserDataInvalid', message, where);
  if (node.kind === 'null') return undefined;
  if (node.kind !== 'mapping') {
    wrong('A network configuration must be a mapping.');
    return undefined;
  }
  if (format === 'openstack') return bounded(readOpenStackNetwork(node, diagnostics, cards), wrong);
  const root = valueAt(node, 'network') ?? node;
  if (root.kind !== 'mapping') {
    wrong('network must be a mapping.', root.where);
    return undefined;
  }
  const config = valueAt(root, 'config');
  if (config?.kind === 'string' && config.value === 'disabled') return 'disabled';
  const read = ofVersion(root, config, diagnostics, wrong);
  warnOfShapes(root, diagnostics);
  if (root !== node && !isOneKeyOf) warnOfOthers(node, ['network'], diagnostics);
  return read && bounded(read, wrong);
}

function warnOfOthers(node: MappingNode, known: readonly string[], diagnostics: Diagnostics): void {
  for (const { key } of node.entries) {
    const name = pythonText(key) ?? '';
    if (!known.includes(name))
      diagnostics.warn('UserDataIgnoredKey', `${printable(name)} is not known; it is ignored.`, key.where);
  }
}

function ofVersion(
  root: MappingNode,
  config: YamlNode | undefined,
  diagnostics: Diagnostics,
  wrong: (message: string, where?: MappingNode['where']) => void,
): Read | undefined {
  const version = valueAt(root, 'version');
  const number = version === undefined ? '' : pythonText(version);
  if (number === '2') return readVersion2(root, diagnostics);
  if (number === '1' && config !== undefined) {
    warnOfOthers(root, ['version', 'config'], diagnostics);
    return readVersion1(config, diagnostics);
  }
  if (number === '1') wrong('A version 1 network configuration must have a list config.', root.where);
  else wrong('A network configuration must set version: 1 or version: 2.', version?.where ?? root.where);
  return undefined;
}

function bounded(read: Read, wrong: (message: string) => void): Read {
  // Interfaces that are only named as members of others count as well.
  if (read.links.length > MOST_LINKS || withMembers(read.links).length > MOST_LINKS) {
    wrong(`There are more than ${MOST_LINKS} interfaces.`);
    return read;
  }
  const seen = new Set<string>();
  const twice = read.links.find(({ id }) => seen.size === seen.add(id).size)?.id;
  if (twice !== undefined) wrong(`The interface ${twice} is defined twice.`);
  for (const message of invalidRelations(read.links)) wrong(message);
  return read;
}

function isEmpty({ links, onlyNetplan }: Read): boolean {
  return links.length === 0 && onlyNetplan.length === 0;
}

function asNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}

/** Its lines are not those of the user data. */
function placed({ where, ...entry }: Diagnostic, place: string): Diagnostic {
  return {
    ...entry,
    message: `${place}${where === undefined ? '' : ` ${positionText(where)}`}: ${entry.message}`,
  };
}

/** What is wrong with what links say of each other, in words: nobody is in itself, or in two others. */
function invalidRelations(links: readonly NetworkLink[]): string[] {
  const wrong: string[] = [];
  const above = new Map<string, string>();
  for (const { id, bond, bridge } of links)
    for (const member of [...(bond?.members ?? []), ...(bridge?.members ?? [])]) {
      const other = above.get(member);
      if (other !== undefined && other !== id)
        wrong.push(`${member} is a member of both ${other} and ${id}.`);
      above.set(member, id);
    }
  const vlans = Map.groupBy(links, ({ vlan }) => vlan?.link);
  // A vlan stands on its link as a bond stands on its members.
  const next = (id: string) => [above.get(id), ...(vlans.get(id) ?? []).map((vlan) => vlan.id)];
  for (const { id } of links) {
    const seen = new Set<string>();
    const open = next(id);
    for (let found = open.pop(); open.length > 0 || found !== undefined; found = open.pop()) {
      if (found === undefined || seen.has(found)) continue;
      seen.add(found);
      open.push(...next(found));
    }
    if (seen.has(id)) wrong.push(`${id} is its own parent.`);
  }
  return wrong;
}
