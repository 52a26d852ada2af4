import type { Diagnostic, Document } from '../../document/document.ts';
import type { NodeLabel } from '../../document/node-settings.ts';
import type { Host } from '../../host/host.ts';
import { renderTemplate } from '../../userdata/jinja/render.ts';
import { TemplateError } from '../../userdata/jinja/syntax/template-error.ts';
import { MISSING_PREFIX } from '../../userdata/jinja/values/values.ts';
import { toValue } from '../../userdata/jinja/variables.ts';
import { gatherFacts } from '../gather.ts';
import type { Facts } from '../reading/facts.ts';

interface Labels {
  /** Values as Kubernetes allows them; a template that gives nothing gives no label. */
  labels: Record<string, string>;
  problems: Diagnostic[];
}

/** What the labels are on this machine. Whatever a template names and the machine does not have is an error. */
export function resolveLabels(wanted: readonly NodeLabel[], facts: Facts): Labels {
  const variables = new Map([['facts', toValue(facts)]]);
  const labels: Record<string, string> = {};
  const problems: Diagnostic[] = [];
  for (const { key, template, where } of wanted) {
    const wrong = (message: string) =>
      problems.push({
        severity: 'error',
        code: 'UserDataTemplate',
        message: `slipway.labels: ${key}: ${message}`,
        ...(where === undefined ? {} : { where }),
      });
    try {
      const text = renderTemplate(template, variables)
        .map((piece) => piece.text)
        .join('');
      const missing = text.indexOf(MISSING_PREFIX);
      const name = /^[\w.[\]]*/.exec(text.slice(missing + MISSING_PREFIX.length))?.[0];
      if (missing >= 0)
        wrong(`this machine has no ${name}; say what else it is to be, as with | default("none").`);
      else if (toLabelValue(text) !== '') labels[key] = toLabelValue(text);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      wrong(
        `this machine has not what ${template.trim()} asks for (${error.message.replace(/\.$/, '')}); say what it is to be then, as with {{ A if B else "none" }}.`,
      );
    }
  }
  return { labels, problems };
}

/** Letters, digits, `-`, `_` and `.`, at most 63, the first and the last a letter or digit. */
export function toLabelValue(text: string): string {
  const allowed = text.replace(/[^A-Za-z0-9._-]+/g, '-');
  const ends = (part: string) => part.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  return ends(ends(allowed).slice(0, 63));
}

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
