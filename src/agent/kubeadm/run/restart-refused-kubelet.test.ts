import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { installTools } from '../../../../test/support/machine-tools.ts';
import { Authority } from '../../../pki/authority.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { runExplained } from './explained-run.ts';

const refusal = (why: string, from = 'the control plane" err="', to = '"'): string =>
  `Jan 10 10:00:01 n1 kubelet[42]: E0110 10:00:01.000001      42 certificate_manager.go:596] "Failed while requesting a signed certificate from ${from}cannot create certificate signing request: ${why}${to}\n`;
const UNAUTHORIZED = refusal('Unauthorized');
const OLDER = refusal('Unauthorized', 'the master: ', '');
const TOKEN = 'abcdef.0123456789abcdef';

const authority = Authority.create('cluster');
const cluster = new Authority(authority.certificate, authority.privateKey);
const stranger = Authority.create('stranger');

let machine: FakeKubeadm;
let server: Server;
let asked: { url: string | undefined; token: string | undefined }[];
let answers: number[];
beforeEach(async () => {
  machine = new FakeKubeadm();
  asked = [];
  server = createServer(cluster.server(['127.0.0.1'], 3_600_000), ({ url, headers }, response) => {
    asked.push({ url, token: headers.authorization });
    response.writeHead(answers[asked.length - 1] ?? answers.at(-1) ?? 500).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  machine.root.remove();
});

/** A join whose kubelet says that meanwhile; it waits until the kubelet is started again, or has told all and some time is over. */
async function join(
  followed: string,
  statuses: number[],
  { ca = authority.certificate, scheme = 'https', systemctl = '', until = '/calls' } = {},
) {
  answers = statuses;
  const { port } = server.address() as AddressInfo;
  machine.put(
    '/etc/kubernetes/bootstrap-kubelet.conf',
    `current-context: c
contexts: [{name: c, context: {cluster: k, user: u}}]
clusters: [{name: k, cluster: {server: '${scheme}://127.0.0.1:${port}', certificate-authority-data: ${Buffer.from(ca).toString('base64')}}}]
users: [{name: u, user: {token: ${TOKEN}}}]
`,
    0o600,
  );
  installTools(machine, { followed });
  machine.put('/bin/systemctl', `#!/bin/sh\necho "$@" >>/calls\n${systemctl}`, 0o755);
  machine.put(
    KUBEADM,
    `#!/bin/sh\necho '[kubelet-start] Starting the kubelet'\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do\n  [ -e ${until} ] || sleep 0.2\ndone\n`,
    0o755,
  );
  const told: string[] = [];
  const run = await runExplained(createLinuxHost({ root: machine.root.path }), {
    ...{ path: KUBEADM, verb: 'join', args: [] },
    onProgress: (message) => {
      told.push(message);
      if (message.startsWith('systemctl')) machine.put('/told', '');
    },
  });
  expect(run.exitStatus).toBe(0);
  return {
    restarts: machine.calls,
    told: told.filter((message) => /restart(?:ing)? the kubelet/.test(message)),
  };
}

it.each([
  ['now', UNAUTHORIZED],
  ['up to 1.21', OLDER],
])(
  'starts a refused kubelet again as soon as the API server takes its token, as kubelets say it %s',
  async (_, line) => {
    const { restarts, told } = await join(line.repeat(3), [401, 403, 404]);
    expect(restarts).toEqual(['try-restart kubelet.service']);
    expect(told).toEqual([
      "the API server now accepts the kubelet's token, which it refused at first; restarting the kubelet so that it retries at once",
    ]);
    expect(asked).toEqual(
      Array(3).fill({
        url: '/apis/certificates.k8s.io/v1/certificatesigningrequests/slipway.dev',
        token: `Bearer ${TOKEN}`,
      }),
    );
  },
);

it('says so where the kubelet cannot be started again', async () => {
  const systemctl = "echo 'Failed to try-restart kubelet.service: Connection timed out' >&2\nexit 1\n";
  const { told } = await join(UNAUTHORIZED, [404], { systemctl, until: '/told' });
  expect(told.at(-1)).toBe(
    'systemctl could not restart the kubelet (Failed to try-restart kubelet.service: Connection timed out); the kubelet will retry later',
  );
});

it('leaves a kubelet alone that has its certificate meanwhile', async () => {
  machine.put('/var/lib/kubelet/pki/kubelet-client-current.pem', '');
  expect(await join(UNAUTHORIZED, [404])).toEqual({ restarts: [], told: [] });
  expect(asked).toHaveLength(1);
});

it('leaves a kubelet alone whose token the API server does not take', async () => {
  expect(await join(UNAUTHORIZED, [401])).toEqual({ restarts: [], told: [] });
  expect(asked.length).toBeGreaterThan(1);
});

it('tells the token to no other server than one of the cluster', async () => {
  expect(await join(UNAUTHORIZED, [404], { ca: stranger.certificate })).toEqual({ restarts: [], told: [] });
  expect(asked).toEqual([]);
});

it('tells the token to nobody in clear', async () => {
  server.on('connection', () => asked.push({ url: undefined, token: undefined }));
  expect(await join(UNAUTHORIZED, [404], { scheme: 'http' })).toEqual({ restarts: [], told: [] });
  expect(asked).toEqual([]);
});

it.each([
  refusal('Post \\"https://10.99.1.11:6443/apis\\": dial tcp 10.99.1.11:6443: connect: connection refused'),
  'Jan 10 10:00:01 n1 kubelet[42]: E0110 10:00:01.000001 42 event.go:359] "Server rejected event" err="Unauthorized"\n',
])('asks nothing where the kubelet was not refused its certificate', async (line) => {
  expect(await join(line, [404])).toEqual({ restarts: [], told: [] });
  expect(asked).toEqual([]);
});
