import { expect, it } from 'vitest';
import type { Failure } from '../../../protocol/journal.ts';
import { CREDENTIAL_DIR, KUBELET_DROP_IN } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { explainMissing } from './explain-failure.ts';

const FAILURE: Failure = { code: 'NodeNotRegistered', cause: 'It is not in the cluster.', remedy: 'Look.' };

const HEAD = '2026-11-23T14:29:01+00:00 n1';
const kubeletSays = (why: string): Host =>
  journalSays(
    `kubelet[7]: E1123 14:29:01.783562     7 kubelet_node_status.go:109] "Unable to register node with API server" err="${why}" node="n1"`,
  );

function journalSays(...lines: string[]): Host {
  const real = createLinuxHost();
  const stdout = lines.map((line) => `${HEAD} ${line}\n`).join('');
  const run: Host['processes']['run'] = async ({ argv }) => ({
    exitStatus: 0,
    stdout: argv[0] === 'journalctl' ? stdout : '',
    stderr: '',
    timedOut: false,
    ms: 1,
  });
  return { ...real, processes: { ...real.processes, run } };
}

it('tells what the kubelet says of a Node that the API server does not take', async () => {
  const why = `nodes \\"n1\\" is forbidden: ValidatingAdmissionPolicy 'owned' denied request: it has no owner`;
  expect(await explainMissing(kubeletSays(why), FAILURE)).toMatchObject({
    code: 'PermissionDenied',
    cause: expect.stringMatching(/refuses the Node n1: .*it has no owner\.$/),
    lines: [expect.stringMatching(/Unable to register node/)],
  });
});

it('does not tell of a way to the API server that has been found since', async () => {
  const why =
    'Post \\"https://10.0.0.1:6443/api/v1/nodes\\": dial tcp 10.0.0.1:6443: connect: connection refused';
  expect(await explainMissing(kubeletSays(why), FAILURE)).toBe(FAILURE);
});

it('tells why the kubelet ends', async () => {
  const unhealthy: Failure = { ...FAILURE, code: 'KubeletUnhealthy' };
  const end = 'systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE';
  const host = journalSays(
    'kubelet[7]: E1123 14:29:01.783562     7 run.go:72] "command failed" err="failed to run Kubelet: invalid Node Allocatable configuration. Resource \\"memory\\" has a reservation of {{1 0}} but capacity of {{0 0}}."',
    end,
  );
  expect(await explainMissing(host, unhealthy)).toMatchObject({ code: 'KubeletConfigInvalid' });
  expect(await explainMissing(journalSays('systemd[1]: Started kubelet.service.'), unhealthy)).toBe(
    unhealthy,
  );
});

it('tells who has the port at which the kubelet tells its health', async () => {
  const unhealthy: Failure = { ...FAILURE, code: 'KubeletUnhealthy' };
  const host = journalSays(
    'kubelet[270]: E1127 15:35:18.569856     270 server.go:794] Starting healthz server failed: listen tcp 127.0.0.1:10248: bind: address already in use',
  );
  const { run } = host.processes;
  const ss = 'LISTEN 0      50         127.0.0.1:10248      0.0.0.0:*    users:(("perl",pid=131,fd=3))\n';
  const listening: Host = {
    ...host,
    processes: {
      ...host.processes,
      run: async (spec) => (spec.argv[0] === 'ss' ? { ...(await run(spec)), stdout: ss } : run(spec)),
    },
  };
  expect(await explainMissing(listening, unhealthy)).toMatchObject({
    code: 'PortInUse',
    cause:
      'The kubelet cannot serve its health endpoint at 127.0.0.1:10248: the port is in use. perl (process 131) listens there.',
    lines: [expect.stringContaining('Starting healthz server failed')],
  });
});

it('tells why slipway credential has none for the kubelet that calls it, until it has had one', async () => {
  const words = 'nobody has approved and signed the request slipway-0a yet; the next call looks again';
  const plain = journalSays(
    `kubelet[350]: slipway: ${words} [CredentialUnavailable]`,
    'kubelet[350]:   Look at what the cause names.',
    'kubelet[339]: E1127 19:14:25.413441     339 kubelet.go:3531] "Unable to register mirror pod" err="node \\"n1\\" not found"',
  );
  const having = (...paths: string[]): Host => {
    const stat = async (path: string) => (paths.includes(path) ? { size: 1 } : undefined);
    return { ...plain, files: { ...plain.files, stat } } as unknown as Host;
  };
  expect(await explainMissing(having(KUBELET_DROP_IN), FAILURE)).toMatchObject({
    code: 'CredentialUnavailable',
    cause: `The kubelet gets no certificate: ${words}.`,
    lines: [expect.stringContaining('[CredentialUnavailable]')],
  });
  const had = having(KUBELET_DROP_IN, `${CREDENTIAL_DIR}/kubelet.json`);
  expect(await explainMissing(had, FAILURE)).toBe(FAILURE);
  // Anything may stand in the log of a kubelet that does not call it.
  expect(await explainMissing(having(), FAILURE)).toBe(FAILURE);
  const stranger = journalSays('kubelet[350]: slipway: it is all over [NoSuchCode]');
  expect(await explainMissing({ ...stranger, files: having(KUBELET_DROP_IN).files }, FAILURE)).toBe(FAILURE);
});
