import type { Instance } from '../read-document.ts';

/** Values of templates: what JSON can hold. */
export type Value = null | boolean | number | bigint | string | Value[] | { [key: string]: Value };

/** Operators of jinja; cloud-init replaces each of them in a key by one underscore (`get_jinja_variable_alias`). */
const OPERATORS = /\/\/|\*\*|==|!=|>=|<=|[+\-/*%~[\](){}><=.:|,;]/g;

/**
 * The variables that cloud-init gives to templates (`convert_jinja_instance_data` over its instance data): `ds`, `v1`
 * and every key of `v1` at the top level too. Keys with operators in them, such as `local-hostname`, have an alias with
 * underscores.
 */
export function variablesOf(instance: Instance): Record<string, Value> {
  const v1 = standardKeys(instance);
  const data = {
    ds: { _doc: '', meta_data: toValue(instance.metaData) },
    v1,
  };
  const aliased = withAliases(data);
  return { ...withAliases(v1), ...aliased };
}

function standardKeys({ metaData, source, system }: Instance): { [key: string]: Value } {
  const id = text(metaData['instance-id']) ?? source;
  const hostname = text(metaData['local-hostname'])?.split('.')[0] ?? 'localhost';
  const zone = text(metaData['availability-zone'] ?? metaData.availability_zone) ?? null;
  const region = text(metaData.region) ?? null;
  const cloud =
    text(metaData['cloud-name'] ?? metaData.cloud_name) ?? (source === 'nocloud' ? 'unknown' : source);
  return {
    'availability-zone': zone,
    availability_zone: zone,
    cloud_id: source,
    'cloud-name': cloud,
    cloud_name: cloud,
    'instance-id': id,
    instance_id: id,
    'local-hostname': hostname,
    local_hostname: hostname,
    platform: source,
    public_ssh_keys: publicKeys(metaData['public-keys'] ?? metaData.public_keys),
    region,
    ...(system === undefined
      ? {}
      : {
          distro: system.distro,
          distro_version: system.distroVersion,
          distro_release: system.distroRelease,
          kernel_release: system.kernelRelease,
          machine: system.machine,
          system_platform: `Linux-${system.kernelRelease}-${system.machine}`,
          variant: system.distro,
        }),
  };
}

function withAliases(data: { [key: string]: Value }): { [key: string]: Value } {
  const result: { [key: string]: Value } = Object.create(null);
  for (const [key, value] of Object.entries(data).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const converted = isRecord(value) ? withAliases(value) : value;
    result[key] = converted;
    const alias = key.replace(OPERATORS, '_');
    if (alias !== key) result[alias] = converted;
  }
  return result;
}

function isRecord(value: Value): value is { [key: string]: Value } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** NoCloud's `public-keys` may be a string, a list, or a mapping of names. */
function publicKeys(value: unknown): Value {
  const list =
    typeof value === 'string' ? value.split('\n') : Array.isArray(value) ? value : Object.values(value ?? {});
  return list.flat().flatMap((key) => (typeof key === 'string' && key !== '' ? [key] : []));
}

function toValue(value: unknown): Value {
  if (Array.isArray(value)) return value.map(toValue);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toValue(inner)]));
  }
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? value
    : String(value);
}
