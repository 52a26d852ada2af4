import type { NtpSettings } from '../../document/document.ts';
import type { Report } from '../../text/report.ts';
import { Fields } from '../../text/yaml/fields.ts';
import { describe, type Node } from '../../text/yaml/node.ts';

/**
 * `ntp`: time servers (cloud-init's `cc_ntp`). It is on unless `enabled` is false; an empty `ntp:` means on
 * with the distribution's servers.
 */
export function readNtp(node: Node, report: Report): NtpSettings | undefined {
  if (node.kind === 'null') return { enabled: true, servers: [], pools: [], where: node.where };
  if (node.kind !== 'mapping') {
    report.error('UserDataInvalid', `ntp must be a mapping, not ${describe(node)}.`, node.where);
    return undefined;
  }
  const fields = new Fields(node, 'ntp', report);
  const settings = {
    enabled: fields.bool('enabled', true),
    servers: hosts(fields, 'servers'),
    pools: hosts(fields, 'pools'),
    where: node.where,
  };
  const other = 'is not supported (Slipway configures the time service that the image has)';
  fields.finish({ ntp_client: other, config: other, peers: other, allow: other });
  return settings;
}

function hosts(fields: Fields, name: string): string[] {
  return fields.texts(name).flatMap((text) => {
    const host = text.trim();
    if (/^[A-Za-z0-9][A-Za-z0-9.:%_-]*$/.test(host)) return [host];
    fields.wrong(name, `${name} must hold host names or addresses.`);
    return [];
  });
}
