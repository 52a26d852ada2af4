import type { PreflightSettings } from '../../../protocol/document.ts';
import type { Report } from '../report.ts';
import { describe, type Node } from '../yaml/node.ts';
import { Fields } from './fields.ts';

/** `slipway`: what cloud-init knows nothing of. So far `preflight: {mend: true}`. */
export function readSlipway(node: Node, report: Report): { preflight?: PreflightSettings } {
  const fields = fieldsOf(node, 'slipway', report);
  const inner = fields?.node('preflight');
  fields?.finish();
  if (inner === undefined) return {};
  const preflight = fieldsOf(inner, 'slipway.preflight', report);
  if (preflight === undefined) return {};
  const settings = { mend: preflight.bool('mend', false) };
  preflight.finish();
  return { preflight: settings };
}

function fieldsOf(node: Node, what: string, report: Report): Fields | undefined {
  if (node.kind === 'mapping') return new Fields(node, what, report);
  if (node.kind !== 'null')
    report.error('UserDataInvalid', `${what} must be a mapping, not ${describe(node)}.`, node.where);
  return undefined;
}
