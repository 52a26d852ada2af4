import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ObtainedCredential, obtainCredential } from '../../../src/agent/credential/credential.ts';
import { writeKubeletConfig } from '../../../src/agent/credential/kubelet-setup.ts';
import type { Host } from '../../../src/agent/host/host.ts';
import type { ApiServer } from '../../support/controller/api-server.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';

/** What all machines of a scene find in their settings. */
export interface Cluster {
  readonly api: ApiServer;
  /** Of the controller. */
  readonly port: number;
  readonly ca: string;
  readonly bootstrapToken: string;
}

/** A machine with a TPM to which kubeadm has said where the cluster is, and on which a kubelet asks for its certificate. */
export class KubeletMachine {
  readonly name: string;
  readonly host: Host;

  private constructor(name: string, host: Host) {
    this.name = name;
    this.host = host;
  }

  static async of(cluster: Cluster, name: string, { host: bare }: MachineWithTpm): Promise<KubeletMachine> {
    const host: Host = { ...bare, hostname: () => name };
    const write = (path: string, content: string) =>
      host.files.write(path, content, { mode: 0o600, parentsMode: 0o755 });
    await host.files.remove('/var/lib/slipway');
    await host.files.remove('/etc/kubernetes');
    await write('/var/lib/cloud/data/instance-id', `i-${name}\n`);
    const controller = {
      endpoints: [`https://localhost:${cluster.port}`],
      ca: cluster.ca,
      tpm: true,
      kubelet: true,
    };
    await write('/etc/slipway/config.yaml', JSON.stringify({ report: { controller } }));
    await write('/etc/kubernetes/bootstrap-kubelet.conf', bootstrapKubeconfig(cluster));
    await writeKubeletConfig(host, name, '/usr/local/bin/slipway');
    return new KubeletMachine(name, host);
  }

  /** As the kubelet calls `slipway credential`. @param host in the place of the machine's own */
  give(host: Host = this.host): Promise<ObtainedCredential> {
    return obtainCredential(host, { nodeName: this.name, kubeconfig: '/etc/kubernetes/kubelet.conf' });
  }

  /** The machine so many days later, by its own clock; others' clocks stay. */
  after(days: number, host: Host = this.host): Host {
    const now = () => new Date(Date.now() + days * 86_400_000);
    return { ...host, clock: { ...host.clock, now } };
  }
}

function bootstrapKubeconfig({ api, bootstrapToken }: Cluster): string {
  const ca = readFileSync(join(api.dir, 'ca.crt')).toString('base64');
  return JSON.stringify({
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server: api.url.href, 'certificate-authority-data': ca } }],
    users: [{ name: 'x', user: { token: bootstrapToken } }],
  });
}
