/**
 * Shortens the one wait in kubeadm that nobody can look into: discovery loops silently for five minutes when nothing
 * else is set. With a minute the agent can say why an attempt failed, and try again.
 */
import { isMap, isScalar, type Pair, type YAMLMap } from 'yaml';
import { type ConfigDocument, readDocuments } from './config-documents.ts';
import { formatGoDuration } from './go-duration.ts';

/**
 * The configuration with the discovery timeout set where the user set none: `timeouts.discovery` from v1beta4 on,
 * `discovery.timeout` before. Every other byte stays as it is, comments and other documents too. Returns the text
 * unchanged when there is no JoinConfiguration, when the timeout is set, or when the place for it is an alias.
 *
 * @throws KubeadmError `KubeadmConfigInvalid` when the text cannot be read.
 */
export function shapeConfig(
  text: string,
  { discoveryTimeoutSeconds }: { discoveryTimeoutSeconds: number },
): string {
  const join = readDocuments(text, 'file').find(({ own, kind }) => own && kind === 'JoinConfiguration');
  if (join === undefined) return text;
  const duration = formatGoDuration(discoveryTimeoutSeconds);
  const path = usesTimeouts(join) ? ['timeouts', 'discovery'] : ['discovery', 'timeout'];
  const [section = '', key = ''] = path;
  const pair = findPair(join.map, section);
  if (pair === undefined) {
    // Without a discovery section the configuration is not valid, and kubeadm says so best itself.
    return section === 'timeouts' ? insert(text, join.map, section, `{${key}: ${duration}}`) : text;
  }
  const value = pair.value;
  if (isMap(value))
    return findPair(value as YAMLMap, key) === undefined
      ? insert(text, value as YAMLMap, key, duration)
      : text;
  const isNull = value === null || (isScalar(value) && value.value === null);
  return isNull && section === 'timeouts' ? replaceNull(text, pair, `{${key}: ${duration}}`) : text;
}

function usesTimeouts({ version }: ConfigDocument): boolean {
  return !/^v1(alpha\d+|beta[123])$/.test(version);
}

function findPair(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** Puts `key: value` in front of a mapping's first pair. */
function insert(text: string, map: YAMLMap, key: string, value: string): string {
  const start = map.range?.[0];
  if (start === undefined) return text;
  if (map.flow === true) {
    const comma = map.items.length === 0 ? '' : ', ';
    return `${text.slice(0, start + 1)}${key}: ${value}${comma}${text.slice(start + 1)}`;
  }
  const first = map.items[0]?.key;
  const offset = isScalar(first) ? first.range?.[0] : undefined;
  // An anchor, a tag or an explicit key ("? ") in front of the first key: not worth a risk.
  if (offset === undefined || offset !== start) return text;
  const column = offset - (text.lastIndexOf('\n', offset - 1) + 1);
  const lead = text.slice(offset - column, offset);
  if (lead.trim() !== '') return text;
  return `${text.slice(0, offset)}${key}: ${value}\n${lead}${text.slice(offset)}`;
}

/** `section:` without a value, or with an explicit null. */
function replaceNull(text: string, pair: Pair, value: string): string {
  const node = pair.value;
  const key = pair.key;
  if (!isScalar(key)) return text;
  const from = isScalar(node) ? node.range?.[0] : undefined;
  const to = isScalar(node) ? node.range?.[1] : undefined;
  if (from !== undefined && to !== undefined && to > from)
    return `${text.slice(0, from)}${value}${text.slice(to)}`;
  const colon = text.indexOf(':', key.range?.[1] ?? 0);
  return colon < 0 ? text : `${text.slice(0, colon + 1)} ${value}${text.slice(colon + 1)}`;
}
