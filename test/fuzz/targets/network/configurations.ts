import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { HostError } from '../../../../src/agent/host/host.ts';
import { renderNetplan } from '../../../../src/agent/network/render/netplan.ts';
import { renderNetworkManager } from '../../../../src/agent/network/render/network-manager.ts';
import { renderNetworkd } from '../../../../src/agent/network/render/networkd.ts';
import type { RenderedFile } from '../../../../src/agent/network/render/rendered.ts';
import {
  fromInitramfs,
  networkFromKernelLine,
} from '../../../../src/agent/userdata/network/choose-network.ts';
import { readNetwork } from '../../../../src/agent/userdata/network/read-network.ts';
import { texts } from '../../corpus.ts';
import { memoryHost } from '../../memory-host.ts';
import { must, type Target } from '../../target.ts';

const DOCUMENTS = join(import.meta.dirname, '../../../cases/network/documents.yaml');

interface Example {
  config?: unknown;
  'network-data'?: unknown;
}

/** Network configurations of every format, and what is written of them for every program. */
export const network: Target = {
  name: 'network',
  dictionary: [
    ...[
      'version: 2',
      'version: 1',
      'config:',
      'ethernets:',
      'bonds:',
      'bridges:',
      'vlans:',
      'match:',
      'macaddress:',
    ],
    ...[
      'set-name:',
      'addresses:',
      'gateway4:',
      'routes:',
      'to: default',
      'via:',
      'nameservers:',
      'parameters:',
    ],
    ...[
      '"links":',
      '"networks":',
      '"services":',
      'vlan_link',
      'bond_links',
      'network-config=',
      'ip=',
      '\\n[Match]',
    ],
    ...['IPV4ADDR=', 'DEVICE=', '::ffff:1.2.3.4', '255.255.255.0', '/33', '../'],
  ],
  corpus: () => [
    ...(load(readFileSync(DOCUMENTS, 'utf8')) as Example[]).map((example) =>
      Buffer.from(JSON.stringify(example.config ?? example['network-data'])),
    ),
    ...texts(
      'version: 1\nconfig:\n- type: physical\n  name: eth0\n  subnets:\n  - {type: static, address: 10.0.0.5/24}\n',
      'quiet ip=10.0.0.5::10.0.0.1:255.255.255.0:host:eth0:none:10.0.0.3',
      "DEVICE='ens3'\nPROTO='none'\nIPV4ADDR='10.0.0.7'\nIPV4NETMASK='255.255.0.0'\n",
    ),
  ],
  refuses: (error) => error instanceof HostError,
  async run(bytes) {
    const text = bytes.toString('utf8');
    const host = memoryHost({ '/run/net-a.conf': bytes });
    const given = [networkFromKernelLine(text), await fromInitramfs(host, 'ip=x')];
    const configs = [
      ...(['cloud-init', 'openstack'] as const).map((format) => ({ format, text, place: 'it' })),
      ...given.filter((config) => config !== undefined),
    ];
    return configs.map((config) => {
      const { settings, report } = readNetwork(config, new Map([['52:54:00:00:00:01', 'eth0']]));
      const bad = report.some(({ severity }) => severity === 'error');
      must(!bad || settings === undefined, 'nothing comes of a configuration with an error');
      if (settings === undefined) return report.length;
      const ini = [...renderNetworkd(settings), ...renderNetworkManager(settings)];
      ini.forEach(isIni);
      const plan = renderNetplan(settings).map(
        ({ content }) => JSON.parse(content.replace(/^#.*\n/, '')) as unknown,
      );
      return [ini.map(({ path, content }) => [path, content.length]), plan.length];
    });
  },
};

/** Nothing that was given makes a line, a section or a path of its own. */
function isIni({ path, content }: RenderedFile): void {
  must(
    /^\/etc\/(?:systemd\/network|NetworkManager\/system-connections)\/[\w.@-]+$/.test(path),
    'a path that stays',
  );
  for (const line of content.split('\n'))
    must(
      /^(?:|#.*|\[\w+\]|[\w-]+=[^\p{Cc}]+)$/u.test(line),
      'each line is a section or a key with its value',
    );
}
