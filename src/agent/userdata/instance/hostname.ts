import type { Hostname, SaidName } from '../../document/document.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { describe, pythonText, type YamlNode } from '../../text/yaml/yaml-node.ts';

/** The top-level keys of cloud-config that concern the host name; undefined if missing. */
interface HostnameKeys {
  hostname?: YamlNode | undefined;
  fqdn?: YamlNode | undefined;
  preserve_hostname?: YamlNode | undefined;
  prefer_fqdn_over_hostname?: YamlNode | undefined;
  create_hostname_file?: YamlNode | undefined;
}

/** How the machine is called, and whether it keeps the name that it has (`preserve_hostname`). */
interface NameRead {
  hostname?: Hostname;
  said?: SaidName;
  isPreserved: boolean;
}

/**
 * The machine's name: from cloud-config, else from the instance metadata's `local-hostname` (cloud-init's
 * `get_hostname_fqdn` and `DataSource.get_hostname`). /etc/hosts and messages have it even where the machine keeps its own.
 */
export function readHostname(
  keys: HostnameKeys,
  metaData: Record<string, unknown>,
  diagnostics: Diagnostics,
): NameRead {
  const own = named(keys, diagnostics);
  const isPreserved = flag(keys.preserve_hostname, 'preserve_hostname', false, diagnostics);
  const prefersFqdn = flag(keys.prefer_fqdn_over_hostname, 'prefer_fqdn_over_hostname', false, diagnostics);
  const createsFile = flag(keys.create_hostname_file, 'create_hostname_file', true, diagnostics);
  const how = { ...(prefersFqdn ? { prefersFqdn } : {}), ...(createsFile ? {} : { keepsNoFile: true }) };
  const said = { ...own, ...how };
  const hostname = completeName(said, metaData);
  return {
    ...(hostname === undefined ? {} : { hostname }),
    ...(Object.keys(said).length === 0 ? {} : { said }),
    isPreserved,
  };
}

function named(keys: HostnameKeys, diagnostics: Diagnostics): SaidName {
  const hostname = name(keys.hostname, 'hostname', diagnostics);
  const fqdn = name(keys.fqdn, 'fqdn', diagnostics);
  if (fqdn !== undefined) return { name: hostname ?? first(fqdn), fqdn };
  if (hostname === undefined) return {};
  return hostname.indexOf('.') > 0 ? { name: first(hostname), fqdn: hostname } : { name: hostname };
}

/** The whole name of a machine; undefined where nobody says one. */
export function completeName(said: SaidName, metaData: Record<string, unknown>): Hostname | undefined {
  const given = fromMetaData(metaData);
  const { name: own, fqdn, ...how } = said;
  if (own === undefined) return given === undefined ? undefined : { ...given, ...how };
  // Without a domain, the metadata's name stands for the whole one as well.
  const known = fqdn ?? given?.fqdn ?? given?.name;
  const isWhole = known === undefined || (fqdn === undefined && known === own);
  return { name: own, ...(isWhole ? {} : { fqdn: known }), ...how };
}

/** The name from the machine's metadata; an IPv4 address becomes `ip-10-0-0-1`. */
export function fromMetaData(metaData: Record<string, unknown>): Hostname | undefined {
  const local = metaData['local-hostname'];
  if (typeof local !== 'string' || !VALID.test(local)) return undefined;
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(local)) return { name: `ip-${local.replaceAll('.', '-')}` };
  return local.includes('.') ? { name: first(local), fqdn: local } : { name: local };
}

/** What Linux and RFC 1123 allow: 253 characters, labels of letters, digits and inner hyphens. */
const VALID = /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}))*\.?$/;

function name(node: YamlNode | undefined, key: string, diagnostics: Diagnostics): string | undefined {
  if (node === undefined || node.kind === 'null') return undefined;
  const text = key === 'fqdn' ? pythonText(node) : node.kind === 'string' ? node.value : undefined;
  if (text === undefined) {
    diagnostics.error(
      'UserDataInvalid',
      `${key} must be a string (put it in quotes), not ${describe(node)}.`,
      node.where,
    );
    return undefined;
  }
  if (VALID.test(text)) return text;
  diagnostics.error(
    'UserDataInvalid',
    `${key} must be a hostname: letters, digits, hyphens and dots.`,
    node.where,
  );
  return undefined;
}

function flag(
  node: YamlNode | undefined,
  key: string,
  otherwise: boolean,
  diagnostics: Diagnostics,
): boolean {
  if (node === undefined || node.kind === 'null') return otherwise;
  const text = pythonText(node)?.trim() ?? '';
  if (/^(?:true|1|on|yes)$/i.test(text)) return true;
  if (!/^(?:false|0|off|no)$/i.test(text))
    diagnostics.error('UserDataInvalid', `${key} must be true or false, not ${describe(node)}.`, node.where);
  return false;
}

function first(dotted: string): string {
  return dotted.split('.')[0] ?? dotted;
}
