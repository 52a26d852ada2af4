import { SENTINEL } from '../../../src/agent/document/paths.ts';
import type { Machine } from '../../lab/lab.ts';
import type { ClusterData } from '../../support/cluster-api/cluster-data.ts';
import { joinConfiguration } from '../../support/cluster-api/kubeadm-configuration.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';

const LIMIT_MS = 300_000;

export interface Round {
  /** Differs for each join, so that none is taken for a repetition of another. */
  id: string;
  cluster: ClusterData;
  /** `host:port` that the configuration names. */
  endpoint: string;
  /** Further ones that Slipway is told of. */
  endpoints: string[];
}

export interface Contender {
  readonly label: string;
  /** @returns milliseconds since 1970 when the machine had joined; undefined when it has not */
  join(machine: Machine, round: Round): Promise<number | undefined>;
}

const CONFIG = '/run/kubeadm/kubeadm-join-config.yaml';

const plainConfig = (machine: Machine, { cluster, endpoint }: Round): string =>
  joinConfiguration(cluster, { name: machine.name, discovery: { endpoint } });

/** The policy of the script that Cluster API once had, reset included. */
const FIVE_TRIES = `
for try in 1 2 3 4 5; do
  kubeadm join --config ${CONFIG} && exit 0
  kubeadm reset -f
  sleep 15
done
exit 1`;

const byShell = (label: string, script: string): Contender => ({
  label,
  async join(machine, round) {
    await machine.put(CONFIG, plainConfig(machine, round), 0o600);
    const { code } = await machine.exec(['sh', '-c', script], { timeoutMs: LIMIT_MS + 30_000 });
    return code === 0 ? Date.now() : undefined;
  },
});

const slipway: Contender = {
  label: 'Slipway',
  async join(machine, round) {
    const { id, cluster, endpoint, endpoints } = round;
    const own = endpoints.length === 0 ? '' : `slipway: {endpoints: ${JSON.stringify(endpoints)}}\n`;
    await machine.put('/root/user-data', `${workerJoin(cluster, { discovery: { endpoint } })}${own}`, 0o600);
    await machine.put('/root/meta-data', `instance-id: ${id}\nlocal-hostname: ${machine.name}\n`);
    const { code } = await machine.exec(
      [
        ...['slipway', 'bootstrap', '--user-data', '/root/user-data', '--meta-data', '/root/meta-data'],
        ...['--deadline', `${LIMIT_MS / 1000}s`],
      ],
      { timeoutMs: LIMIT_MS + 30_000 },
    );
    // It goes on to see the node become Ready; nobody waits for that.
    return code === 0 ? 1000 * Number(await machine.execOk(['stat', '-c', '%.9Y', SENTINEL])) : undefined;
  },
};

export const CONTENDERS: readonly Contender[] = [
  byShell('kubeadm join', `exec timeout ${LIMIT_MS / 1000} kubeadm join --config ${CONFIG}`),
  byShell('five tries', FIVE_TRIES),
  slipway,
];

/** As if it had never joined; the Node goes too. */
export async function forget(machine: Machine): Promise<void> {
  const paths = [
    '/etc/kubernetes/pki',
    '/var/lib/slipway',
    '/run/slipway',
    '/run/kubeadm',
    '/run/cluster-api',
  ];
  await machine.execOk([
    'sh',
    '-c',
    `systemctl start containerd; kubeadm reset -f; rm -rf ${paths.join(' ')} /etc/kubernetes/*.conf`,
  ]);
}
