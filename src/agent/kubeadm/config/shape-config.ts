/**
 * Shortens the one wait in kubeadm that nobody can look into: discovery loops silently for five minutes when
 * nothing else is set. With a minute the agent can say why an attempt failed, and try again.
 */
import { isMap, isScalar, type YAMLMap } from 'yaml';
import { type ConfigDocument, readDocuments } from './yaml/config-documents.ts';
import { findPair, insert, replaceNull } from './yaml/edit-yaml.ts';
import { formatGoDuration } from './yaml/go-duration.ts';

/**
 * The configuration with the discovery timeout set where the user set none: `timeouts.discovery` from v1beta4
 * on, `discovery.timeout` before. Every other byte stays as it is, comments and other documents too. Returns
 * the text unchanged when there is no JoinConfiguration, when the timeout is set, or when the place for it is
 * an alias.
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
