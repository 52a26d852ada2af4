import { stringify, type TomlTable } from 'smol-toml';
import type { MirrorSettings, RegistrySettings } from '../../document/node-settings.ts';

const HEADER = '# Written by Slipway from the settings of the node (slipway.containerd.registries).\n';

/** A file to be written. */
interface RegistryFile {
  path: string;
  content: string;
}

/** The hosts.toml of a registry, and the certificates that it names (containerd, docs/hosts.md). */
export function registryFiles(certsDir: string, registry: RegistrySettings): RegistryFile[] {
  const directory = `${certsDir}/${registry.host}`;
  const files: RegistryFile[] = [];
  const authority = (name: string, pem: string | undefined): TomlTable => {
    if (pem === undefined) return {};
    const path = `${directory}/${name}`;
    files.push({ path, content: pem });
    return { ca: path };
  };
  const hosts = registry.mirrors.map((mirror, index): [string, TomlTable] => [
    mirror.url,
    { ...mirrorTable(mirror), ...authority(`slipway-mirror-${index + 1}.crt`, mirror.ca) },
  ]);
  const table: TomlTable = {
    ...(registry.server === undefined ? {} : { server: registry.server }),
    ...authority('slipway-ca.crt', registry.ca),
    ...(registry.skipVerify ? { skip_verify: true } : {}),
    ...(hosts.length > 0 ? { host: Object.fromEntries(hosts) } : {}),
  };
  files.push({ path: `${directory}/hosts.toml`, content: `${HEADER}${stringify(table)}` });
  return files;
}

export function isOurs(text: string): boolean {
  return text.startsWith(HEADER);
}

function mirrorTable({ capabilities, skipVerify, overridePath }: MirrorSettings): TomlTable {
  return {
    capabilities,
    ...(skipVerify ? { skip_verify: true } : {}),
    ...(overridePath ? { override_path: true } : {}),
  };
}
