import { omitUndefined } from '../../../kit/json.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { NtpSettings, OwnTimeService } from '../../document/document.ts';
import type { OsFacts } from '../../platform/instance/read-os-facts.ts';
import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { Fields } from '../../text/yaml/fields.ts';
import { describe, type YamlNode } from '../../text/yaml/yaml-node.ts';

/** cloud-init's names of the services that Slipway configures. */
const CLIENTS = ['chrony', 'systemd-timesyncd', 'ntp'];

/** Those that cloud-init knows as well, and has no configuration for on most systems. */
const OTHERS: Readonly<Record<string, Required<Omit<OwnTimeService, 'content'>>>> = {
  openntpd: { program: 'ntpd', path: '/etc/ntpd.conf', packages: [], unit: 'ntpd' },
  ntpdate: { program: 'ntpdate', path: '/etc/ntp.conf', packages: ['ntpdate'], unit: 'ntpdate' },
};

/** How the author's own template of a configuration becomes text. */
export interface TimeTemplates {
  render: (
    template: string,
    variables: Readonly<Record<string, readonly string[]>>,
  ) => { text: string } | { problem: string };
  system?: OsFacts;
}

type Named = Pick<NtpSettings, 'servers' | 'pools' | 'peers' | 'allow'>;

/**
 * `ntp`: time servers (cloud-init's `cc_ntp`). It is on unless `enabled` is false; an empty `ntp:` means on
 * with the distribution's servers.
 */
export function readNtp(
  node: YamlNode,
  templates: TimeTemplates,
  diagnostics: Diagnostics,
): NtpSettings | undefined {
  if (node.kind === 'null') return { enabled: true, servers: [], pools: [], where: node.where };
  if (node.kind !== 'mapping') {
    diagnostics.error('UserDataInvalid', `ntp must be a mapping, not ${describe(node)}.`, node.where);
    return undefined;
  }
  const fields = new Fields(node, 'ntp', diagnostics);
  const [peers, allow] = [hosts(fields, 'peers'), networks(fields)];
  const named: Named = {
    servers: hosts(fields, 'servers'),
    pools: hosts(fields, 'pools'),
    ...(peers.length > 0 ? { peers } : {}),
    ...(allow.length > 0 ? { allow } : {}),
  };
  const enabled = fields.bool('enabled', true);
  const client = fields.text('ntp_client') ?? 'auto';
  const config = fields.node('config');
  if (config !== undefined && config.kind !== 'mapping') fields.expected('config', config, 'a mapping');
  // What is off is not looked at any further, as with cloud-init.
  const given =
    enabled && config?.kind === 'mapping' ? new Fields(config, 'ntp.config', diagnostics) : undefined;
  const own = given && readOwn(given, client, named, templates);
  const isOurs = CLIENTS.includes(client);
  if (client !== 'auto' && !isOurs && own === undefined && enabled)
    fields.warn(
      'ntp_client',
      `ntp_client must be auto, ${CLIENTS.join(', ')}, or defined in config; it is ignored.`,
    );
  const isPlain = enabled && own?.content === undefined;
  if (isPlain && client === 'systemd-timesyncd' && peers.length > 0)
    fields.warn('peers', 'peers has no effect: only chrony and ntp support peers.');
  if (isPlain && isOurs && client !== 'chrony' && allow.length > 0)
    fields.warn('allow', 'allow has no effect: only chrony supports it.');
  fields.finish();
  return {
    enabled,
    ...named,
    ...(isOurs || (own && client !== 'auto') ? { client } : {}),
    ...(own ? { own } : {}),
    where: node.where,
  };
}

function networks(fields: Fields): string[] {
  return fields.texts('allow').flatMap((text) => {
    const network = text.trim();
    if (/^(?:all|[0-9a-fA-F.:]+(?:\/\d{1,3})?)$/.test(network)) return [network];
    fields.wrong('allow', 'allow must contain networks such as 10.0.0.0/8.');
    return [];
  });
}

function hosts(fields: Fields, name: string): string[] {
  return fields.texts(name).flatMap((text) => {
    const host = text.trim();
    if (/^[A-Za-z0-9][A-Za-z0-9.:%_-]*$/.test(host)) return [host];
    fields.wrong(name, `${name} must contain hostnames or addresses.`);
    return [];
  });
}

/** `config`: a service that nobody else knows, or another place, text or package for one that is known. */
function readOwn(fields: Fields, client: string, named: Named, templates: TimeTemplates): OwnTimeService {
  const [path, program, unit] = [
    fields.text('confpath'),
    fields.text('check_exe'),
    fields.text('service_name'),
  ];
  const packages = fields.node('packages') && fields.texts('packages');
  const template = fields.text('template');
  if (path !== undefined && !/^\/[^\0]*[^\0/]$/.test(path))
    fields.wrong('confpath', 'confpath must be the absolute path of a file.');
  if (program !== undefined && !/^[\w.+/][\w.+/-]*$/.test(program))
    fields.wrong('check_exe', 'check_exe must name a program.');
  if (unit !== undefined && !/^[A-Za-z0-9][\w.@:-]*$/.test(unit))
    fields.wrong('service_name', 'service_name must name a service.');
  for (const name of packages ?? [])
    if (!/^[A-Za-z0-9][\w.+:=~@/-]*$/.test(name))
      fields.wrong('packages', 'packages must contain package names.');
  if (fields.node('template_name') !== undefined)
    fields.wrong('template_name', 'template_name is not supported; use template instead.');
  fields.finish();
  const text = template ? rendered(template, fields, named, templates) : undefined;
  const own: OwnTimeService = {
    ...(Object.hasOwn(OTHERS, client) ? OTHERS[client] : {}),
    ...omitUndefined({ path, program, packages }),
    ...(unit === undefined ? {} : { unit: unit.replace(/\.service$/, '') }),
    ...(text === undefined ? {} : { content: sensitive(text) }),
  };
  if (client === 'auto' || CLIENTS.includes(client)) return own;
  const said = {
    confpath: own.path,
    check_exe: own.program,
    packages: own.packages,
    service_name: own.unit,
    template,
  };
  const lacking = Object.entries(said).flatMap(([name, value]) => (value ? [] : [name]));
  if (lacking.length > 0)
    fields.wrong(
      'config',
      `${printable(client)} is not a known NTP client, and config does not set ${lacking.join(', ')}.`,
    );
  return own;
}

/** Without sources, cloud-init gives the template those of the distribution. */
function rendered(
  template: string,
  fields: Fields,
  { servers, pools, peers = [], allow = [] }: Named,
  { render, system }: TimeTemplates,
): string | undefined {
  const kind = /^##[^\S\n]*template:(.*)/i.exec(template)?.[1]?.trim();
  const body = kind === undefined ? template : template.slice(template.indexOf('\n') + 1 || template.length);
  if (kind?.toLowerCase() !== 'jinja') {
    // cloud-init's other kind fills in Python's own writing of a list, or fails.
    if ((kind === undefined || kind.toLowerCase() === 'basic') && !/\$\{?[\w.]/.test(body)) return body;
    fields.wrong('template', 'template must begin with the line "## template: jinja" to be rendered.');
    return undefined;
  }
  const isSaid = servers.length + pools.length > 0;
  const all = { servers, pools: isSaid ? pools : poolsOf(system?.distro), peers, allow };
  const result = render(body, all);
  if ('problem' in result) {
    fields.wrong('template', `Jinja template: ${result.problem}`);
    return undefined;
  }
  if (result.text.includes('CI_MISSING_JINJA_VAR/'))
    fields.warn('template', 'template has only the variables servers, pools, peers and allow.');
  return result.text;
}

/** There are none of SUSE's own, nor of systems that cloud-init knows as such. */
function poolsOf(distro = ''): string[] {
  const name = /^(?:alpine|eurolinux)?$/.test(distro)
    ? ''
    : distro.replace(/^(?:sles|opensuse).*/, 'opensuse');
  return [0, 1, 2, 3].map((number) => [number, name, 'pool.ntp.org'].filter((part) => part !== '').join('.'));
}
