import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadm, KUBEADM } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { type AttemptNote, clearAttempt, readAttempt, recordAttempt } from './attempt-note.ts';
import { takeInventory } from './inventory.ts';
import { prepareRepeat, type RepeatSpec } from './repeat.ts';

const help = (name: string): string =>
  readFileSync(new URL(`phases/fixtures/${name}.txt`, import.meta.url), 'utf8');

/** Tells its phases, and refuses to begin without running anything where it is to skip one that it does not have. */
const kubeadm = (knows: string): string => `#!/bin/sh
echo "$@" >> /calls
case "$*" in
*--help) cat /help ;;
*--skip-phases=*)
  list=\${*##*--skip-phases=}
  first=\${list%%,*}
  for known in ${knows}; do [ $first = $known ] && first=\${list#*,}; done
  echo "invalid phase name: $first" >&2
  exit 1 ;;
esac
`;

describe('what is done between two attempts', () => {
  let machine: FakeKubeadm;
  let host: Host;
  let progress: string[];
  beforeEach(() => {
    machine = new FakeKubeadm();
    host = createLinuxHost({ root: machine.root.path });
    progress = [];
  });
  afterEach(() => machine.root.remove());

  const node = (verb: 'init' | 'join') => {
    machine.put('/etc/kubernetes/kubelet.conf', 'x');
    machine.put('/etc/kubernetes/admin.conf', 'x');
    machine.put('/var/lib/kubelet/pki/kubelet-client-current.pem', 'x');
    if (verb === 'init') machine.put('/etc/kubernetes/manifests/kube-apiserver.yaml', 'x');
  };
  const repeat = async (note: Partial<AttemptNote>, more: Partial<RepeatSpec> = {}) => {
    const verb = note.verb ?? 'init';
    return prepareRepeat(host, {
      verb,
      path: KUBEADM,
      args: ['--config', '/a'],
      note: { instance: 'i-1', verb, code: 'ApiServerUnavailable', resumed: 0, ...note },
      inventory: await takeInventory(host, { instance: 'i-1', document: 'd', written: [] }),
      controlPlane: verb === 'init',
      signal: new AbortController().signal,
      onProgress: (message) => void progress.push(message),
      ...more,
    });
  };

  it('goes on with the phase of an init that failed last, and tears nothing down', async () => {
    await takeInventory(host, { instance: 'i-1', document: 'd', written: [] });
    node('init');
    machine.put(KUBEADM, kubeadm(''), 0o755);
    machine.put('/help', help('init-1.29-1.30'));
    const before = machine.state();
    const found = await repeat({ phase: 'addon/kube-proxy' });
    expect(found).toMatchObject({
      kind: 'resume',
      skip: expect.arrayContaining([
        'preflight',
        'certs',
        'kubelet-start',
        'bootstrap-token',
        'addon/coredns',
      ]),
    });
    expect(machine.state()).toEqual(before);
    expect(machine.calls).toEqual(['init --help']);
    expect(progress).toEqual(['continuing kubeadm init where it stopped (addon/kube-proxy)']);
  });

  it.each<[string, Partial<AttemptNote>]>([
    ['the phase was an early one', { phase: 'wait-control-plane' }],
    ['nobody knows the phase', {}],
    ['it has gone on in vain too often', { phase: 'upload-certs', resumed: 4 }],
    ['the installed kubeadm has no such phase', { phase: 'addon/a-new-one' }],
  ])('begins anew when %s', async (_, note) => {
    await takeInventory(host, { instance: 'i-1', document: 'd', written: [] });
    node('init');
    machine.put('/help', help('init-1.20-1.26'));
    const script = readFileSync(`${machine.root.path}${KUBEADM}`, 'utf8');
    machine.put(
      KUBEADM,
      script.replace('case $1 in', 'case "$*" in *--help) cat /help; exit ;; esac\ncase $1 in'),
      0o755,
    );
    expect(await repeat(note)).toEqual({ kind: 'anew', problems: [] });
    expect(machine.state()).toEqual({});
    expect(machine.calls.some((call) => call.startsWith('reset --force'))).toBe(true);
  });

  it('begins anew when what went before is not there any more', async () => {
    machine.put(KUBEADM, kubeadm(''), 0o755);
    machine.put('/help', help('init-1.20-1.26'));
    expect(await repeat({ phase: 'upload-certs' })).toMatchObject({ kind: 'anew' });
  });

  it('does not go on with a worker, whatever its last phase was called', async () => {
    node('join');
    expect(await repeat({ verb: 'join', phase: 'control-plane-join/mark-control-plane' })).toMatchObject({
      kind: 'anew',
    });
  });

  it.each(['/etc/kubernetes/pki', '/srv/certificates'])(
    'touches nothing of a control plane whose etcd cannot be looked at, with certificates in %s',
    async (pki) => {
      for (const name of ['ca.crt', 'healthcheck-client.crt', 'healthcheck-client.key'])
        machine.put(`${pki}/etcd/${name}`, 'x');
      machine.put(
        '/etc/kubernetes/manifests/kube-apiserver.yaml',
        `    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 127.0.0.1:6443
    - --kubelet-client-certificate=${pki}/apiserver-kubelet-client.crt
`,
      );
      const before = machine.state();
      const found = await repeat({ verb: 'join', phase: 'control-plane-join/etcd' }, { controlPlane: true });
      expect(found).toMatchObject({ kind: 'blocked', failure: { code: 'EtcdUnhealthy' } });
      expect(machine.state()).toEqual(before);
      expect(machine.calls).toEqual([]);
    },
  );
});

describe('the note of a failed attempt', () => {
  it('is kept for the instance and verb it was made for, and thrown away when it is damaged', async () => {
    const machine = new FakeKubeadm();
    const host = createLinuxHost({ root: machine.root.path });
    const note: AttemptNote = {
      ...{ instance: 'i-1', verb: 'join', code: 'EtcdUnhealthy', phase: 'etcd-join', resumed: 2 },
      knownToken: 'abcdef',
    };
    await recordAttempt(host, note);
    expect(await readAttempt(host, { instance: 'i-1', verb: 'join' })).toEqual(note);
    expect(await readAttempt(host, { instance: 'i-2', verb: 'join' })).toBeUndefined();
    expect(await readAttempt(host, { instance: 'i-1', verb: 'init' })).toBeUndefined();
    machine.put('/var/lib/slipway/kubeadm-attempt.json', '{"instance":');
    expect(await readAttempt(host, { instance: 'i-1', verb: 'join' })).toBeUndefined();
    await clearAttempt(host);
    machine.root.remove();
  });
});
