import type { Instance } from '../../platform/instance/instance.ts';
import type { OsFacts } from '../../platform/instance/read-os-facts.ts';
import { fromMetaData } from '../instance/hostname.ts';
import { publicKeysOf } from '../instance/public-keys.ts';
import { Dict, list, type Value } from './values/values.ts';

/** Metadata before it becomes values of templates. */
type Plain = { [key: string]: unknown };

/** Jinja's operators; cloud-init replaces each one in a key by an underscore (`get_jinja_variable_alias`). */
const OPERATORS = /\/\/|\*\*|==|!=|>=|<=|[+\-/*%~[\](){}><=.:|,;]/g;

/**
 * The variables that cloud-init gives to templates (`convert_jinja_instance_data` of its instance data):
 * `ds`, `v1`, and every key of `v1` at the top level too. Keys with operators, such as `local-hostname`, have
 * an alias with underscores.
 */
export function variablesOf(instance: Instance): Map<string, Value> {
  instance.onTemplate?.();
  const v1 = standardKeys(instance);
  const data: Plain = { ds: { _doc: '', ...(instance.ds ?? { meta_data: instance.metaData }) }, v1 };
  const top = { ...aliased(v1), ...aboutCloudInit(instance.system), ...data };
  return new Map(Object.entries(top).map(([key, value]) => [key, toValue(value)]));
}

/** What cloud-init tells of itself; there is nothing to tell but that the names are defined. */
function aboutCloudInit(system: OsFacts | undefined): Plain {
  const config = { _doc: '' };
  const lists = { base64_encoded_keys: [], sensitive_keys: [] };
  return {
    ...lists,
    merged_cfg: config,
    merged_system_cfg: config,
    ...(system === undefined ? {} : { sys_info: systemInfo(system) }),
  };
}

function systemInfo(system: OsFacts): Plain {
  const { distro, distroVersion, distroRelease, kernelRelease, machine, hostname } = system;
  return {
    dist: [distro, distroVersion, distroRelease],
    platform: `Linux-${kernelRelease}-${machine}`,
    release: kernelRelease,
    system: 'Linux',
    uname: ['Linux', hostname, kernelRelease, '', machine],
    variant: distro,
  };
}

function standardKeys({ metaData, source, system, cloud: told }: Instance): Plain {
  const name = told?.platform ?? source.split(' ')[0] ?? source;
  const id = text(metaData['instance-id']) ?? name;
  const given = text(metaData['local-hostname']) ?? system?.hostname ?? 'localhost';
  const hostname = fromMetaData({ 'local-hostname': given })?.name ?? given;
  const zone = told?.zone ?? text(metaData['availability-zone'] ?? metaData.availability_zone) ?? null;
  const region = told?.region ?? text(metaData.region) ?? null;
  const cloud =
    text(metaData['cloud-name'] ?? metaData.cloud_name) ??
    told?.name ??
    (name === 'nocloud' ? 'unknown' : name);
  return {
    'availability-zone': zone,
    availability_zone: zone,
    cloud_id: cloudId(cloud, region ?? '', name),
    'cloud-name': cloud,
    cloud_name: cloud,
    'instance-id': id,
    instance_id: id,
    'local-hostname': hostname,
    local_hostname: hostname,
    platform: name,
    public_ssh_keys: told?.publicKeys ?? publicKeysOf(metaData),
    region,
    subplatform: told?.subplatform ?? source,
    ...(system === undefined ? {} : systemKeys(system)),
  };
}

/** cloud-init's `canonical_cloud_id`: clouds with regions of their own laws, and unknown ones by their platform. */
function cloudId(cloud: string, region: string, platform: string): string {
  if (cloud === 'unknown') return platform;
  if (cloud === 'aws' && region.startsWith('cn-')) return 'aws-china';
  if (cloud === 'aws' && region.startsWith('us-gov-')) return 'aws-gov';
  return cloud === 'azure' && region.startsWith('china') ? 'azure-china' : cloud;
}

function systemKeys(system: OsFacts): Plain {
  return {
    distro: system.distro,
    distro_version: system.distroVersion,
    distro_release: system.distroRelease,
    kernel_release: system.kernelRelease,
    machine: system.machine,
    system_platform: `Linux-${system.kernelRelease}-${system.machine}`,
    variant: system.distro,
  };
}

function aliased(data: Plain): Plain {
  const entries = Object.entries(data).flatMap(([key, value]): [string, unknown][] => {
    const alias = key.replace(OPERATORS, '_');
    return alias === key
      ? [[key, value]]
      : [
          [key, value],
          [alias, value],
        ];
  });
  return Object.fromEntries(entries);
}

function text(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** As deep as YAML may be; no cloud's metadata are. */
const MOST_DEPTH = 128;

/** Sorts keys and adds their aliases, like cloud-init (`convert_jinja_instance_data`). What lies deeper than 128 levels is none. */
export function toValue(value: unknown, depth = 0): Value {
  if (depth > MOST_DEPTH) return null;
  if (Array.isArray(value)) return list(value.map((inner) => toValue(inner, depth + 1)));
  if (typeof value === 'object' && value !== null) {
    const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return new Dict(
      sorted.flatMap(([key, inner]): [string, Value][] => {
        const converted = toValue(inner, depth + 1);
        const alias = key.replace(OPERATORS, '_');
        return alias === key
          ? [[key, converted]]
          : [
              [key, converted],
              [alias, converted],
            ];
      }),
    );
  }
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return typeof value === 'boolean' || typeof value === 'bigint' ? value : String(value);
}
