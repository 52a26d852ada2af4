import type { Host } from '../host/host.ts';
import { Report } from '../text/report.ts';
import { plainText } from '../text/source-text.ts';
import { type MappingNode, pythonText } from '../text/yaml/node.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import { configFile } from './instance/config-file.ts';
import { under } from './merge/under.ts';

const MAIN = '/etc/cloud/cloud.cfg';
const DROP_INS = '/etc/cloud/cloud.cfg.d';

/** What an image says of itself for all its machines; which modules of cloud-init run, and where it logs, is not Slipway's. */
const KEYS: readonly string[] = [
  ...['users', 'user', 'system_info', 'disable_root', 'disable_root_opts', 'ssh_pwauth'],
  ...['ssh_deletekeys', 'ssh_genkeytypes', 'ssh_keys', 'ssh_authorized_keys', 'allow_public_ssh_keys'],
  ...['preserve_hostname', 'prefer_fqdn_over_hostname', 'create_hostname_file', 'manage_etc_hosts'],
  ...['mount_default_fields', 'growpart', 'resize_rootfs', 'locale', 'timezone', 'ntp', 'vendor_data'],
];

/**
 * The image's cloud.cfg with cloud.cfg.d over it, the last name first, as cloud-init puts them together. A file that cannot be
 * read as YAML counts as empty, as with cloud-init.
 */
export async function readImageConfig(host: Host): Promise<MappingNode | undefined> {
  const names = (await host.files.list(DROP_INS)).filter((name) => name.endsWith('.cfg')).toReversed();
  let found: MappingNode | undefined;
  for (const path of [...names.map((name) => `${DROP_INS}/${name}`), MAIN]) {
    const root = parseYaml(plainText(await configFile(host, path)), new Report());
    if (root?.kind === 'mapping') found = under(found, root);
  }
  const entries = found?.entries.filter(({ key }) => KEYS.includes(pythonText(key) ?? '')) ?? [];
  return found && entries.length > 0 ? { ...found, entries } : undefined;
}
