import { isLabelKey, isLabelValue } from '../../../protocol/facts.ts';
import type { NodeLabel } from '../../document/node-settings.ts';
import { printable } from '../../text/diagnostics.ts';
import type { Fields } from '../../text/yaml/fields.ts';
import { parseTemplate } from '../jinja/syntax/parse-template.ts';
import { TemplateError } from '../jinja/syntax/template-error.ts';
import { MISSING_PREFIX } from '../jinja/values/values.ts';

const MOST_CHARACTERS = 1000;

/** `labels`: a mapping of keys to values, which may be templates about `facts`. */
export function readLabels(fields: Fields): NodeLabel[] {
  return fields.names().flatMap((key) => {
    const template = fields.looseText(key);
    const where = fields.node(key)?.where;
    const wrong = template === undefined ? undefined : (wrongKey(key) ?? wrongValue(template));
    if (wrong !== undefined) fields.wrong(key, `${printable(key)} ${wrong}`);
    if (template === undefined || wrong !== undefined) return [];
    return [{ key, template, ...(where === undefined ? {} : { where }) }];
  });
}

function wrongKey(key: string): string | undefined {
  if (!isLabelKey(key)) return 'is not a label key, such as example.com/gpu.';
  if (mayLabelItself(key)) return undefined;
  return 'cannot be set by a kubelet on its own Node (NodeRestriction); set it on the Machine, or use another prefix.';
}

/** Prefixes and keys that kubelets may use within the domains of Kubernetes (k8s.io/kubelet/pkg/apis). */
const OWN_DOMAINS = /(?:^|\.)(?:kubelet|node)\.kubernetes\.io$/;
const OWN_KEYS = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);

function mayLabelItself(key: string): boolean {
  const domain = key.includes('/') ? (key.split('/')[0] ?? '') : '';
  if (!/(?:^|\.)(?:kubernetes|k8s)\.io$/.test(domain)) return true;
  return OWN_KEYS.has(key) || OWN_DOMAINS.test(domain);
}

function wrongValue(template: string): string | undefined {
  if (template.includes(MISSING_PREFIX))
    return 'was rendered before the machine facts are known: put {% raw %} around it, or remove the template header.';
  if (template.length > MOST_CHARACTERS) return `has more than ${MOST_CHARACTERS} characters.`;
  if (!/\{[{%#]/.test(template))
    return isLabelValue(template)
      ? undefined
      : 'has an invalid label value; allowed are letters, digits, "-", "_", ".".';
  try {
    parseTemplate(template);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return `has an invalid template: ${error.message}`;
  }
}
