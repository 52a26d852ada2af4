import { CONFIG_FILES } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';
import { writableByOthers } from '../host/writable-by-others.ts';
import { Diagnostics } from '../text/diagnostics.ts';
import { isOwnDocument } from '../text/own-document.ts';
import { plainText } from '../text/source-text.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import type { MappingNode, YamlNode } from '../text/yaml/yaml-node.ts';
import { readSettings } from './read-settings.ts';
import {
  type ConfigProblem,
  type ControllerSettings,
  DEFAULT_SETTINGS,
  type PartialReceiver,
  type PartialSettings,
  RECEIVERS,
  type ReceiverName,
  type ReceiverSettings,
  type ServerSettings,
  type Settings,
} from './settings.ts';

const MAX_BYTES = 256 * 1024;
const KERNEL_LINE = '/proc/cmdline';

interface LoadedSettings {
  settings: Settings;
  problems: ConfigProblem[];
}

/** Reads the settings again and again; parses them only when a file has changed. */
export class SettingsSource {
  readonly #host: Host;
  #seen: string | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Undefined when nothing has changed since the last time. */
  async poll(): Promise<LoadedSettings | undefined> {
    const texts = await Promise.all((await sources(this.#host)).map((path) => textOf(this.#host, path)));
    const seen = texts.join('\0');
    if (seen === this.#seen) return undefined;
    const loaded = await loadSettings(this.#host);
    // A file that settings name may come later than they do.
    const isWhole = loaded.problems.every(({ severity }) => severity === 'warning');
    this.#seen = isWhole ? seen : undefined;
    return loaded;
  }
}

/** Empty for a file that is missing or cannot be read; loading it tells why. */
async function textOf(host: Host, path: string): Promise<string> {
  try {
    return (await host.files.readIfPresent(path, MAX_BYTES))?.toString('latin1') ?? '';
  } catch (error) {
    if (error instanceof HostError) return error.message;
    throw error;
  }
}

/**
 * The settings in force. Later ones win, setting by setting: the image's file, the machine's, the drop-ins in the order
 * of their names, the kernel command line. Never throws for what is in them; the rest of a bad file holds.
 */
export async function loadSettings(host: Host): Promise<LoadedSettings> {
  const problems: ConfigProblem[] = [];
  let merged: PartialSettings = {};
  for (const source of await sources(host)) {
    const layer = await readLayer(host, source, problems);
    merged = {
      ...merged,
      ...layer,
      ...(merged.controller || layer.controller
        ? { controller: { ...withoutOtherProof(merged.controller, layer.controller), ...layer.controller } }
        : {}),
      ...both('webhook', merged, layer),
      ...both('otlp', merged, layer),
    };
  }
  const { controller, webhook, otlp, ...others } = merged;
  const settings: Settings = { ...DEFAULT_SETTINGS, ...others };
  const server = controller && (await completeController(host, controller, problems));
  if (server) settings.controller = server;
  for (const [name, partial] of Object.entries({ webhook, otlp }) as [ReceiverName, PartialReceiver?][]) {
    const receiver = partial && (await completeReceiver(host, name, partial, problems));
    if (receiver) settings[name] = receiver;
  }
  return { settings, problems };
}

/** A machine enrols in one way: a layer that names one does not fall back to another layer's. */
function withoutOtherProof(
  earlier: PartialSettings['controller'] = {},
  { token, tokenFile, tpm }: NonNullable<PartialSettings['controller']> = {},
): PartialSettings['controller'] {
  if (token === undefined && tokenFile === undefined && tpm === undefined) return earlier;
  const { token: _token, tokenFile: _tokenFile, tpm: _tpm, ...others } = earlier;
  return others;
}

function both(name: ReceiverName, first: PartialSettings, later: PartialSettings): PartialSettings {
  return first[name] || later[name] ? { [name]: { ...first[name], ...later[name] } } : {};
}

async function sources(host: Host): Promise<string[]> {
  const names = await host.files.list(CONFIG_FILES.dropIns);
  const dropIns = names.filter((name) => /^[^.].*\.ya?ml$/.test(name));
  return [
    CONFIG_FILES.image,
    CONFIG_FILES.machine,
    ...dropIns.map((name) => `${CONFIG_FILES.dropIns}/${name}`),
    KERNEL_LINE,
  ];
}

async function readLayer(host: Host, path: string, problems: ConfigProblem[]): Promise<PartialSettings> {
  const source = path === KERNEL_LINE ? 'kernel command line' : path;
  const diagnostics = new Diagnostics();
  let settings: PartialSettings = {};
  try {
    const unsafe = path === KERNEL_LINE ? undefined : await writableByOthers(host, path);
    if (unsafe !== undefined) {
      problems.push({ source, message: `not used: ${unsafe} [ConfigFileUnsafe]`, severity: 'error' });
      return {};
    }
    const bytes = await host.files.readIfPresent(path, MAX_BYTES);
    if (bytes === undefined) return {};
    const text = bytes.toString('utf8');
    // User data that lie beside the settings are no settings.
    if (path.startsWith(CONFIG_FILES.dropIns) && isOwnDocument(text)) return {};
    const node: YamlNode | undefined =
      path === KERNEL_LINE ? readKernelCommandLine(text) : parseYaml(plainText(text), diagnostics);
    if (node) settings = readSettings(node, diagnostics, path !== KERNEL_LINE);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    problems.push({ source, message: error.message, severity: 'error' });
  }
  for (const { severity, message, where } of diagnostics.entries) {
    problems.push({ source, ...where, message, severity });
  }
  return settings;
}

async function completeController(
  host: Host,
  { caFile, endpoints, ...rest }: Partial<ControllerSettings> & { caFile?: string },
  problems: ConfigProblem[],
): Promise<ControllerSettings | undefined> {
  if (!endpoints) {
    const message = 'report.controller has no usable endpoints; nothing is sent to a controller';
    problems.push({ source: 'configuration', message, severity: 'error' });
    return undefined;
  }
  for (const [name, path] of Object.entries({ tokenFile: rest.tokenFile, caFile })) {
    const unsafe = path === undefined ? undefined : await writableByOthers(host, path);
    if (unsafe === undefined) continue;
    const message = `${name} is not used, and nothing is sent to the controller: ${unsafe} [ConfigFileUnsafe]`;
    problems.push({ source: 'configuration', message, severity: 'error' });
    return undefined;
  }
  const server = await withFile(host, rest, caFile, problems);
  return server && { ...rest, endpoints, ...server };
}

async function completeReceiver(
  host: Host,
  name: ReceiverName,
  { caFile, url, headers = {}, ...rest }: PartialReceiver,
  problems: ConfigProblem[],
): Promise<ReceiverSettings | undefined> {
  const unsafe = caFile === undefined ? undefined : await writableByOthers(host, caFile);
  if (url === undefined || unsafe !== undefined) {
    const message =
      unsafe === undefined
        ? `report.${name} has no usable ${RECEIVERS[name]}; nothing is sent there`
        : `report.${name}.caFile is not used, and nothing is sent there: ${unsafe} [ConfigFileUnsafe]`;
    problems.push({ source: 'configuration', message, severity: 'error' });
    return undefined;
  }
  const server = await withFile(host, rest, caFile, problems);
  return server && { ...rest, url, headers, ...server };
}

/**
 * The authorities from their file, and the environment's proxy if the settings name none. Undefined if the file cannot be
 * read: with the well-known authorities instead, the reporter might trust a stranger's server.
 */
async function withFile(
  host: Host,
  { ca, proxy }: ServerSettings,
  caFile: string | undefined,
  problems: ConfigProblem[],
): Promise<ServerSettings | undefined> {
  const fromEnvironment = proxy ?? environmentProxy(host);
  const common = fromEnvironment ? { proxy: fromEnvironment } : {};
  if (ca !== undefined || caFile === undefined) return common;
  try {
    return { ...common, ca: (await host.files.read(caFile)).toString('utf8') };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    problems.push({ source: 'configuration', message: `caFile: ${error.message}`, severity: 'error' });
    return undefined;
  }
}

function environmentProxy(host: Host): ServerSettings['proxy'] | undefined {
  const value = (name: string) => host.env(name.toUpperCase()) || host.env(name) || undefined;
  const [https, http, except] = [value('https_proxy'), value('http_proxy'), value('no_proxy')];
  if (https === undefined && http === undefined) return undefined;
  return { ...(https ? { https } : {}), ...(http ? { http } : {}), ...(except ? { except } : {}) };
}

const PREFIX = 'slipway.';

/**
 * The settings on a kernel command line: `slipway.report.controller.endpoints=https://a,https://b` stands for the same
 * path in the file. Other words are not ours. Words count from 1 as columns do.
 */
function readKernelCommandLine(line: string): MappingNode {
  const root = mapping(1);
  for (const { 0: word, index } of line.matchAll(/(?:"[^"]*"|[^\s"])+/g)) {
    if (!word.startsWith(PREFIX)) continue;
    const equals = word.indexOf('=');
    const name = word.slice(PREFIX.length, equals < 0 ? undefined : equals);
    // A word alone switches something on, as with the kernel's own.
    const value = equals < 0 ? 'true' : word.slice(equals + 1).replaceAll('"', '');
    put(root, name.split('.'), value, index + 1);
  }
  return root;
}

function put(into: MappingNode, [key = '', ...rest]: string[], value: string, column: number): void {
  const where = { line: 1, column };
  const found = into.entries.find((entry) => entry.key.kind === 'string' && entry.key.value === key);
  if (rest.length > 0 && found?.value.kind === 'mapping') {
    put(found.value, rest, value, column);
    return;
  }
  let node: YamlNode = { kind: 'string', value, where };
  if (rest.length > 0) {
    node = mapping(column);
    put(node, rest, value, column);
  }
  // The last one counts, as with the kernel's own.
  if (found) found.value = node;
  else into.entries.push({ key: { kind: 'string', value: key, where }, value: node });
}

function mapping(column: number): MappingNode {
  return { kind: 'mapping', entries: [], where: { line: 1, column } };
}
