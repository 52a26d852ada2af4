/**
 * Shortens the one wait in kubeadm that nobody can look into: discovery loops silently for five minutes when
 * nothing else is set. With a minute the agent can say why an attempt failed, and try again.
 */
import { type ConfigDocument, readDocuments } from './yaml/config-documents.ts';
import { isValues } from './yaml/config-node.ts';
import { editDocument, setValue } from './yaml/edit-document.ts';
import { formatGoDuration } from './yaml/go-duration.ts';

/**
 * The configuration with the discovery timeout set where the user set none: `timeouts.discovery` from v1beta4
 * on, `discovery.timeout` before. Other documents stay as they are. Returns the text unchanged when there is no
 * JoinConfiguration, or when the timeout is set.
 *
 * @throws KubeadmError `KubeadmConfigInvalid` when the text cannot be read.
 */
export function shapeConfig(
  text: string,
  { discoveryTimeoutSeconds }: { discoveryTimeoutSeconds: number },
): string {
  const kind = 'JoinConfiguration';
  const join = readDocuments(text, 'file').find((document) => document.own && document.kind === kind);
  if (join === undefined) return text;
  const duration = formatGoDuration(discoveryTimeoutSeconds);
  if (usesTimeouts(join))
    return setValue(text, kind, ['timeouts', 'discovery'], duration, (present) => present === undefined);
  return editDocument(text, kind, ({ discovery }) => {
    // Without a discovery section the configuration is not valid, and kubeadm says so best itself.
    if (!isValues(discovery) || Object.hasOwn(discovery, 'timeout')) return false;
    discovery.timeout = duration;
    return true;
  });
}

function usesTimeouts({ version }: ConfigDocument): boolean {
  return !/^v1(alpha\d+|beta[123])$/.test(version);
}
