import type { Diagnostic, Document } from '../../document/document.ts';
import type { NodeLabel } from '../../document/node-settings.ts';
import type { Host } from '../../host/host.ts';
import { gatherFacts } from '../gather.ts';
import { type Labels, resolveLabels } from './labels.ts';

/** What the labels are on this machine; it is looked at only where a template asks. */
export async function labelsForMachine(host: Host, labels: readonly NodeLabel[]): Promise<Labels> {
  return resolveLabels(labels, await gatherFacts(host));
}

/** What keeps the document's labels from being given, before anything is touched. */
export async function labelProblems(host: Host, { node, commands }: Document): Promise<Diagnostic[]> {
  const labels = node?.labels ?? [];
  if (labels.length === 0) return [];
  const { problems } = await labelsForMachine(host, labels);
  const isBare = commands.some(
    (command) => command.kind === 'kubeadm' && command.verb === 'init' && command.configPath === undefined,
  );
  if (!isBare) return problems;
  const [{ where } = { where: undefined }] = labels;
  const message =
    'slipway.labels: labels need a kubeadm configuration (kubeadm init --config), and there is none.';
  return [...problems, { severity: 'error', code: 'UserDataInvalid', message, ...(where ? { where } : {}) }];
}
