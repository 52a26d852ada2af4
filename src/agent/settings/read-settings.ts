import { parseSeconds } from '../../kit/duration.ts';
import { rememberSecrets } from '../../secrets/remembered.ts';
import { sensitive } from '../../secrets/sensitive.ts';
import { TPM_PATH } from '../document/paths.ts';
import type { Diagnostics } from '../text/diagnostics.ts';
import { Fields } from '../text/yaml/fields.ts';
import type { MappingNode, YamlNode } from '../text/yaml/yaml-node.ts';
import {
  type ControllerSettings,
  type PartialReceiver,
  type PartialSettings,
  RECEIVERS,
  type ReceiverName,
  type ServerSettings,
  type Switch,
} from './settings.ts';

/** No spaces or control characters; the length that the wire allows. */
const TOKEN = /^[\x21-\x7e]{16,256}$/;
/** RFC 9110, 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;

/**
 * The settings that one file or the kernel command line has. What is wrong goes to `diagnostics` with its place, and counts
 * as not given; the rest holds.
 */
export function readSettings(
  root: YamlNode,
  diagnostics: Diagnostics,
  secretsAllowed = true,
): PartialSettings {
  const fields = group(root, 'the configuration', diagnostics);
  if (!fields) return {};
  const machine = inner(fields, 'machine', diagnostics);
  const providerID = machine && text(machine, 'providerID');
  machine?.finish();
  const reporting = inner(fields, 'report', diagnostics);
  const settings = reporting ? readReport(reporting, diagnostics, secretsAllowed) : {};
  fields.finish();
  return { ...settings, ...(providerID === undefined ? {} : { providerID }) };
}

function readReport(fields: Fields, diagnostics: Diagnostics, secretsAllowed: boolean): PartialSettings {
  const controller = inner(fields, 'controller', diagnostics);
  const device = fields.node('console');
  const settings: PartialSettings = {
    ...given('enabled', fields.has('enabled') ? fields.bool('enabled', true) : undefined),
    ...given('idleSeconds', seconds(fields, 'idleTimeout')),
    ...given('nodeSeconds', seconds(fields, 'nodeTimeout')),
    ...given('identifiers', fields.has('identifiers') ? fields.bool('identifiers', false) : undefined),
    ...given(
      'console',
      device?.kind === 'string' && isPath(device.value) ? device.value : readSwitch(fields, 'console'),
    ),
    ...given('journal', readSwitch(fields, 'journal')),
    ...given('hyperv', readSwitch(fields, 'hyperv')),
    ...given('vmware', readSwitch(fields, 'vmware')),
    ...given('controller', controller && readController(controller, secretsAllowed)),
    ...readReceiver('webhook', fields, diagnostics, secretsAllowed),
    ...readReceiver('otlp', fields, diagnostics, secretsAllowed),
  };
  controller?.finish();
  fields.finish();
  return settings;
}

function readController(
  fields: Fields,
  secretsAllowed: boolean,
): Partial<ControllerSettings> & { caFile?: string } {
  const endpoints = fields
    .texts('endpoints', true)
    .flatMap((entry) => entry.split(','))
    .map((entry) => entry.trim())
    .filter((url) => isUrl(fields, 'endpoints', url, ['https:']));
  const token = secret(fields, 'token', secretsAllowed);
  const usable = token === undefined || TOKEN.test(token);
  if (!usable) fields.wrong('token', 'token must be 16 to 256 characters without spaces');
  return {
    ...readServer(fields),
    ...(endpoints.length > 0 ? { endpoints } : {}),
    ...(token !== undefined && usable ? { token: sensitive(token) } : {}),
    ...given('tokenFile', path(fields, 'tokenFile')),
    ...given('tpm', tpm(fields)),
    ...given('kubelet', fields.has('kubelet') ? fields.bool('kubelet', false) : undefined),
  };
}

/** `true` stands for the kernel's device. */
function tpm(fields: Fields): string | undefined {
  const node = fields.node('tpm');
  if (node?.kind === 'bool') return node.value ? TPM_PATH : undefined;
  return path(fields, 'tpm');
}

function readReceiver(
  name: ReceiverName,
  of: Fields,
  diagnostics: Diagnostics,
  secretsAllowed: boolean,
): { [name in ReceiverName]?: PartialReceiver } {
  const fields = inner(of, name, diagnostics);
  if (fields === undefined) return {};
  const url = text(fields, RECEIVERS[name]);
  const headers = inner(fields, 'headers', diagnostics);
  const names = headers ? headers.names() : [];
  const pairs = names.flatMap((name) => {
    const value = headers && secret(headers, name, secretsAllowed);
    if (value === undefined) return [];
    if (HEADER_NAME.test(name) && /^[\t\x20-\x7e]*$/.test(value)) return [[name, sensitive(value)] as const];
    headers?.wrong(name, 'a header needs a name without spaces and a value of printable ASCII characters');
    return [];
  });
  const usable = url !== undefined && isUrl(fields, RECEIVERS[name], url, ['https:', 'http:']);
  const receiver = {
    ...readServer(fields),
    ...(usable ? { url } : {}),
    ...(headers ? { headers: Object.fromEntries(pairs) } : {}),
  };
  fields.finish();
  return { [name]: receiver };
}

function readServer(fields: Fields): ServerSettings & { caFile?: string } {
  const ca = text(fields, 'ca');
  const proxy = text(fields, 'proxy');
  const except = text(fields, 'noProxy');
  const isPem = ca === undefined || /-----BEGIN CERTIFICATE-----/.test(ca);
  if (!isPem) fields.wrong('ca', 'ca must contain PEM certificates; for a file, use caFile');
  const usable = proxy !== undefined && isUrl(fields, 'proxy', proxy, ['http:', 'https:'], true);
  return {
    ...(ca !== undefined && isPem ? { ca } : {}),
    ...given('caFile', path(fields, 'caFile')),
    ...(usable ? { proxy: { https: proxy, http: proxy, ...given('except', except) } } : {}),
  };
}

function group(node: YamlNode, what: string, diagnostics: Diagnostics): Fields | undefined {
  if (node.kind === 'mapping') return new Fields(node as MappingNode, what, diagnostics);
  if (node.kind !== 'null')
    diagnostics.error('ReportConfigInvalid', `${what} must be a mapping.`, node.where);
  return undefined;
}

function inner(fields: Fields, name: string, diagnostics: Diagnostics): Fields | undefined {
  const node = fields.node(name);
  return node && group(node, name, diagnostics);
}

function text(fields: Fields, name: string): string | undefined {
  return fields.looseText(name);
}

const PUBLIC_HEADER = /^(?:accept.*|content-.*|user-agent|date)$/i;

function secret(fields: Fields, name: string, allowed: boolean): string | undefined {
  const value = text(fields, name);
  if (value === undefined) return undefined;
  // In a header, `Bearer` and the like are not secret: the last word is.
  if (!PUBLIC_HEADER.test(name)) rememberSecrets([value, value.split(/\s/).at(-1) ?? '']);
  if (allowed) return value;
  fields.wrong(
    name,
    `${name} must not be set here, where every user of the machine can read it; name a file instead`,
  );
  return undefined;
}

function path(fields: Fields, name: string): string | undefined {
  const value = text(fields, name);
  if (value === undefined || isPath(value)) return value;
  fields.wrong(name, `${name} must be an absolute path`);
  return undefined;
}

function isPath(value: string): value is `/${string}` {
  return /^\/[^\0]+$/.test(value);
}

function seconds(fields: Fields, name: string): number | undefined {
  const value = text(fields, name);
  if (value === undefined) return undefined;
  const parsed = parseSeconds(value);
  if (parsed === undefined) fields.wrong(name, `${name} must be a duration such as 90s, 15m or 1h30m`);
  return parsed;
}

function readSwitch(fields: Fields, name: string): Switch | undefined {
  const node = fields.node(name);
  if (node === undefined) return undefined;
  if (node.kind === 'string' && node.value === 'auto') return 'auto';
  return fields.bool(name, false) ? 'on' : 'off';
}

function isUrl(fields: Fields, name: string, value: string, schemes: string[], credentials = false): boolean {
  const url = URL.parse(value);
  if (url && schemes.includes(url.protocol) && (credentials || (!url.username && !url.password))) return true;
  const kinds = schemes.map((scheme) => `${scheme}//`).join(' or ');
  const rule = credentials ? '' : ' without a user name or password';
  fields.wrong(name, `${name} must be a URL that begins with ${kinds}${rule}`);
  return false;
}

function given<K extends string, T>(name: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [P in K]: T });
}
