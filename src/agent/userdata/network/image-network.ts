import type { Host } from '../../host/host.ts';
import { configFile } from '../../platform/instance/config-file.ts';
import type { NetworkConfig } from '../../platform/instance/instance.ts';
import { Diagnostics } from '../../text/diagnostics.ts';
import { plainText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { plainValue } from '../../text/yaml/plain-value.ts';
import { valueAt } from '../../text/yaml/yaml-node.ts';

const MAIN = '/etc/cloud/cloud.cfg';
const DROP_INS = '/etc/cloud/cloud.cfg.d';
/** Only files with such a line are read as YAML. */
const MENTIONS = /^["']?network["']?[ \t]*:|^[ \t]*["']?renderers["']?[ \t]*:|^\{/m;

/** What cloud.cfg and cloud.cfg.d say of the network; of two files the later name counts. */
export async function readImageNetwork(
  host: Host,
): Promise<{ config?: NetworkConfig; renderers?: string[] }> {
  const names = (await host.files.list(DROP_INS)).filter((name) => name.endsWith('.cfg')).toReversed();
  let config: NetworkConfig | undefined;
  let renderers: string[] | undefined;
  for (const path of [...names.map((name) => `${DROP_INS}/${name}`), MAIN]) {
    const text = await configFile(host, path);
    if (!MENTIONS.test(text)) continue;
    const root = parseYaml(plainText(text), new Diagnostics());
    if (valueAt(root, 'network') !== undefined)
      config ??= { format: 'cloud-init', text, place: path, isOneKeyOf: true };
    const list = valueAt(valueAt(valueAt(root, 'system_info'), 'network'), 'renderers');
    const found = list === undefined ? undefined : plainValue(list);
    if (Array.isArray(found)) renderers ??= found.filter((name) => typeof name === 'string');
  }
  return { ...(config ? { config } : {}), ...(renderers ? { renderers } : {}) };
}
