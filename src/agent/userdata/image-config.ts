import type { Host } from '../host/host.ts';
import { configFile } from '../platform/instance/config-file.ts';
import { Diagnostics } from '../text/diagnostics.ts';
import { plainText } from '../text/source-text.ts';
import { parseYaml } from '../text/yaml/parse.ts';
import { type MappingNode, pythonText, type YamlNode } from '../text/yaml/yaml-node.ts';
import { mergeDefaults } from './merge/merge.ts';

const MAIN = '/etc/cloud/cloud.cfg';
const DROP_INS = '/etc/cloud/cloud.cfg.d';

/** What an image says of itself for all its machines; which modules of cloud-init run, and where it logs, is not Slipway's. */
const KEYS: readonly string[] = [
  ...['users', 'user', 'system_info', 'disable_root', 'disable_root_opts', 'ssh_pwauth'],
  ...['ssh_deletekeys', 'ssh_genkeytypes', 'ssh_keys', 'ssh_authorized_keys', 'allow_public_ssh_keys'],
  ...['preserve_hostname', 'prefer_fqdn_over_hostname', 'create_hostname_file', 'manage_etc_hosts'],
  ...['mount_default_fields', 'growpart', 'resize_rootfs', 'locale', 'timezone', 'ntp', 'vendor_data'],
];

/** One of these as a key, in whatever style; or a line that begins with a key of another kind, or with a mapping on one line. */
const NAMED = new RegExp(`\\b(?:${KEYS.join('|')})["']?[\\t ]*:|^[\\t ]*[?*{]`, 'm');

/**
 * What an image says of itself.
 *
 * @param diagnostics gets a warning for each file that cannot be read as YAML
 */
export type ImageConfig = (diagnostics: Diagnostics) => MappingNode | undefined;

/**
 * The image's cloud.cfg with cloud.cfg.d over it, the last name first, as cloud-init puts them together. A file that cannot be
 * read as YAML counts as empty, as with cloud-init.
 */
export async function readImageConfig(host: Host): Promise<ImageConfig> {
  const names = (await host.files.list(DROP_INS)).filter((name) => name.endsWith('.cfg')).toReversed();
  const files: { path: string; text: string }[] = [];
  for (const path of [...names.map((name) => `${DROP_INS}/${name}`), MAIN])
    files.push({ path, text: await configFile(host, path) });
  return (diagnostics) => {
    let found: MappingNode | undefined;
    for (const { path, text } of files) {
      const root = rootOf(text, path, diagnostics);
      if (root?.kind === 'mapping') found = mergeDefaults(found, root);
    }
    return withKeys(found, KEYS);
  };
}

/** Of all that only who the image's default user is, for user data that name one; the rest the machine does itself when it boots. */
export async function readDefaultUser(host: Host): Promise<ImageConfig> {
  const image = await readImageConfig(host);
  return (diagnostics) => withKeys(image(diagnostics), ['system_info']);
}

function withKeys(found: MappingNode | undefined, keys: readonly string[]): MappingNode | undefined {
  const entries = found?.entries.filter(({ key }) => keys.includes(pythonText(key) ?? '')) ?? [];
  return found && entries.length > 0 ? { ...found, entries } : undefined;
}

function rootOf(text: string, path: string, diagnostics: Diagnostics): YamlNode | undefined {
  if (!NAMED.test(text) && !text.split('\n').some(mayHaveEscapes)) return undefined;
  const own = new Diagnostics();
  const root = parseYaml(plainText(text), own);
  const [wrong] = own.entries.filter(({ severity }) => severity === 'error');
  if (wrong !== undefined) {
    const message = `${path} of the image is not valid YAML, so it is ignored, as by cloud-init: ${wrong.message}`;
    const where = { line: 1, column: 1, ...wrong.where, within: path };
    diagnostics.entries.push({ severity: 'warning', code: 'UserDataInvalid', message, where });
  }
  return root;
}

/** In double quotes a key may be written otherwise than it reads. */
function mayHaveEscapes(line: string): boolean {
  return line.includes('\\') && line.includes('"') && !line.trimStart().startsWith('#');
}
