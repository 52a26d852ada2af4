/**
 * Merges settings of containerd's CRI plugins into an existing configuration. All other settings stay;
 * comments do not, so the caller keeps the original (docs/decisions/toml.md).
 *
 * Version 2 (containerd 1.5 and newer) has one CRI plugin; version 3 (containerd 2.0 and newer) has one for
 * images and one for the runtime (containerd, docs/cri/config.md and docs/PLUGINS.md of 1.6, 1.7 and 2.1).
 */

import { parse, stringify, type TomlTable, type TomlValue } from 'smol-toml';
import { ExpectedError } from '../../../kit/errors.ts';
import { positionText } from '../../../kit/position.ts';
import type { ContainerdSettings } from '../../document/node-settings.ts';

const CERTS_DIR = '/etc/containerd/certs.d';

/** Slipway cannot merge into this configuration; the message tells people why. */
export class ContainerdConfigError extends ExpectedError {
  override readonly name = 'ContainerdConfigError';
}

export interface MergedConfig {
  /** Undefined if nothing has to change. */
  text?: string;
  /** The directory of hosts.toml files. */
  certsDir: string;
  /** Further changes, in words for people. */
  notes: string[];
}

interface Shape {
  sandbox: string[];
  registry: string[];
  runc: string[];
}

const CRI = 'io.containerd.grpc.v1.cri';
const IMAGES = 'io.containerd.cri.v1.images';
const RUNTIME = 'io.containerd.cri.v1.runtime';

const SHAPES: Readonly<Record<2 | 3, Shape>> = {
  2: {
    sandbox: ['plugins', CRI, 'sandbox_image'],
    registry: ['plugins', CRI, 'registry'],
    runc: ['plugins', CRI, 'containerd', 'runtimes', 'runc'],
  },
  3: {
    sandbox: ['plugins', IMAGES, 'pinned_images', 'sandbox'],
    registry: ['plugins', IMAGES, 'registry'],
    runc: ['plugins', RUNTIME, 'containerd', 'runtimes', 'runc'],
  },
};

/**
 * @param present the configuration in force; undefined or blank if there is none
 * @param major the installed containerd's, to write a first configuration
 * @throws ContainerdConfigError
 */
export function mergeConfig(
  present: string | undefined,
  settings: ContainerdSettings,
  major: number,
): MergedConfig {
  const root = read(present ?? '');
  const before = write(root);
  const notes: string[] = [];
  const shape = SHAPES[versionOf(root, major, notes)];
  enableCri(root, notes);
  if (settings.sandboxImage !== undefined) put(root, shape.sandbox, settings.sandboxImage);
  if (settings.cgroupDriver !== undefined) {
    const type = [...shape.runc, 'runtime_type'];
    if (get(root, type) === undefined) put(root, type, 'io.containerd.runc.v2');
    put(root, [...shape.runc, 'options', 'SystemdCgroup'], settings.cgroupDriver === 'systemd');
  }
  const certsDir = settings.registries.length === 0 ? CERTS_DIR : registryDirectory(root, shape);
  const text = write(root);
  return { certsDir, notes, ...(text === before ? {} : { text: `${text.trimEnd()}\n` }) };
}

function read(text: string): TomlTable {
  try {
    // Integers must stay integers, and floats must stay floats.
    return parse(text, { integersAsBigInt: true }) as TomlTable;
  } catch (error) {
    // The library quotes the lines around the error, which may hold a registry's credentials.
    const { line, column } = error as { line?: number; column?: number };
    const place = line === undefined || column === undefined ? '' : ` at ${positionText({ line, column })}`;
    throw new ContainerdConfigError(`it is not TOML${place}`);
  }
}

function write(root: TomlTable): string {
  try {
    return stringify(root, { numbersAsFloat: true });
  } catch {
    // The library reads deeper nesting than it writes.
    throw new ContainerdConfigError('its tables are nested too deep');
  }
}

/** Without a version it is version 1, whose plugins have other names; without plugins it can be raised. */
function versionOf(root: TomlTable, major: number, notes: string[]): 2 | 3 {
  const newest = major >= 2 ? 3 : 2;
  const given = root.version;
  if (given === 2n || (given === 3n && newest === 3)) return given === 2n ? 2 : 3;
  if (given === 3n)
    throw new ContainerdConfigError(`it has version 3, which containerd ${major} does not read`);
  if (given !== undefined && given !== 1n)
    throw new ContainerdConfigError(
      `it has ${typeof given === 'bigint' ? `the version ${given}` : 'a version that is no whole number'}, which Slipway does not know`,
    );
  if (root.plugins !== undefined)
    throw new ContainerdConfigError(
      'it is of version 1 with settings of plugins; rewrite it with version = 2',
    );
  if (Object.keys(root).length > 0) notes.push(`its version is now ${newest}`);
  root.version = BigInt(newest);
  return newest;
}

/** The configuration in Docker's packages disables the CRI plugin, which Kubernetes needs. */
function enableCri(root: TomlTable, notes: string[]): void {
  const disabled = root.disabled_plugins;
  if (!Array.isArray(disabled)) return;
  const kept = disabled.filter((name) => !['cri', CRI, IMAGES, RUNTIME].includes(name as string));
  if (kept.length === disabled.length) return;
  root.disabled_plugins = kept;
  notes.push('its CRI plugin was disabled, and is enabled now');
}

/** @throws ContainerdConfigError if registries are set up in the older way, which excludes this one */
function registryDirectory(root: TomlTable, { registry }: Shape): string {
  const older = ['mirrors', 'configs', 'auths'].filter(
    (name) => get(root, [...registry, name]) !== undefined,
  );
  // containerd refuses mirrors together with config_path; credentials in configs may stay.
  const tls = Object.values((get(root, [...registry, 'configs']) as TomlTable | undefined) ?? {}).some(
    (entry) => typeof entry === 'object' && entry !== null && 'tls' in entry,
  );
  if (older.includes('mirrors') || tls)
    throw new ContainerdConfigError(
      `it has ${registry.slice(1).join('.')}.${older.includes('mirrors') ? 'mirrors' : 'configs'} in the older way, which containerd does not accept together with certs.d`,
    );
  const path = get(root, [...registry, 'config_path']);
  if (typeof path === 'string' && path !== '') return path.split(':')[0] ?? CERTS_DIR;
  put(root, [...registry, 'config_path'], CERTS_DIR);
  return CERTS_DIR;
}

function get(root: TomlTable, path: readonly string[]): TomlValue | undefined {
  let value: TomlValue | undefined = root;
  for (const key of path) value = isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function put(root: TomlTable, path: readonly string[], value: TomlValue): void {
  let table = root;
  for (const key of path.slice(0, -1)) {
    const next: TomlValue | undefined = Object.hasOwn(table, key) ? table[key] : undefined;
    if (next !== undefined && !isTable(next))
      throw new ContainerdConfigError(`${path.join('.')} cannot be set: ${key} is not a table`);
    const inner: TomlTable = next ?? {};
    table[key] = inner;
    table = inner;
  }
  table[path.at(-1) ?? ''] = value;
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
}
