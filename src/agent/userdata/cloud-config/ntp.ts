import type { NtpSettings } from '../../document/document.ts';
import type { Report } from '../../text/report.ts';
import { Fields } from '../../text/yaml/fields.ts';
import { describe, type Node } from '../../text/yaml/node.ts';

/** cloud-init's names of the services that Slipway configures. */
const CLIENTS = ['chrony', 'systemd-timesyncd', 'ntp'];

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
    ...more(fields),
    where: node.where,
  };
  const other = 'is not supported (Slipway configures the time service that the image has)';
  fields.finish({ config: other });
  return settings;
}

/** What only some services know. */
function more(fields: Fields): Pick<NtpSettings, 'peers' | 'allow' | 'client'> {
  const peers = hosts(fields, 'peers');
  const allow = fields.texts('allow').flatMap((text) => {
    const network = text.trim();
    if (/^(?:all|[0-9a-fA-F.:]+(?:\/\d{1,3})?)$/.test(network)) return [network];
    fields.wrong('allow', 'allow must hold networks such as 10.0.0.0/8.');
    return [];
  });
  const client = fields.text('ntp_client');
  const isNamed = client !== undefined && client !== 'auto';
  if (isNamed && !CLIENTS.includes(client))
    fields.warn('ntp_client', `ntp_client must be auto, ${CLIENTS.join(', ')}; it is ignored.`);
  return {
    ...(peers.length > 0 ? { peers } : {}),
    ...(allow.length > 0 ? { allow } : {}),
    ...(isNamed && CLIENTS.includes(client) ? { client } : {}),
  };
}

function hosts(fields: Fields, name: string): string[] {
  return fields.texts(name).flatMap((text) => {
    const host = text.trim();
    if (/^[A-Za-z0-9][A-Za-z0-9.:%_-]*$/.test(host)) return [host];
    fields.wrong(name, `${name} must hold host names or addresses.`);
    return [];
  });
}
