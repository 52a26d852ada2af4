import type { Document, PreflightSettings } from '../../../protocol/document.ts';
import { printable, type Report } from '../report.ts';
import { describe, type Node } from '../yaml/node.ts';
import { Fields } from './fields.ts';

export interface SlipwayKey {
  preflight?: PreflightSettings;
  /** `host:port` of API servers. */
  endpoints?: string[];
}

/** `slipway`: what cloud-init knows nothing of: `preflight: {mend: true}`, `endpoints: [HOST:PORT, ...]`. */
export function readSlipway(node: Node, report: Report): SlipwayKey {
  const fields = fieldsOf(node, 'slipway', report);
  if (fields === undefined) return {};
  const inner = fields.node('preflight');
  const preflight = inner === undefined ? undefined : readPreflight(inner, report);
  const endpoints = fields.texts('endpoints');
  const wrong = endpoints.find((endpoint) => !ENDPOINT.test(endpoint));
  if (wrong !== undefined)
    fields.wrong('endpoints', `${printable(wrong)} in endpoints is not HOST:PORT, such as 10.0.0.1:6443.`);
  fields.finish();
  return {
    ...(preflight === undefined ? {} : { preflight }),
    ...(endpoints.length === 0 ? {} : { endpoints }),
  };
}

/** A join may ask any of these; an init makes its own. */
export function withEndpoints(
  commands: Document['commands'],
  endpoints: string[] | undefined,
): Document['commands'] {
  if (endpoints === undefined) return commands;
  return commands.map((command) =>
    command.kind === 'kubeadm' && command.verb === 'join' ? { ...command, endpoints } : command,
  );
}

const ENDPOINT = /^(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*):\d{1,5}$/;

function readPreflight(node: Node, report: Report): PreflightSettings | undefined {
  const preflight = fieldsOf(node, 'slipway.preflight', report);
  if (preflight === undefined) return undefined;
  const settings = { mend: preflight.bool('mend', false) };
  preflight.finish();
  return settings;
}

function fieldsOf(node: Node, what: string, report: Report): Fields | undefined {
  if (node.kind === 'mapping') return new Fields(node, what, report);
  if (node.kind !== 'null')
    report.error('UserDataInvalid', `${what} must be a mapping, not ${describe(node)}.`, node.where);
  return undefined;
}
