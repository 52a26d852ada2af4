import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../test/support/tiny-root.ts';
import { INSTANCE_NOTE, JOURNAL, SENTINEL } from '../document/paths.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { localNetwork } from '../userdata/local-network.ts';
import { bootstrap } from './bootstrap.ts';
import { foreignSeed } from './lifecycle/find-state.ts';
import type { BootstrapOptions } from './options.ts';

const KUBEADM = `#!/bin/sh
[ "$1" = join ] || exit 0
echo joined >>/log
mkdir -p /etc/kubernetes /var/lib/kubelet/pki
: >/etc/kubernetes/kubelet.conf
: >/var/lib/kubelet/pki/kubelet-client-current.pem
`;
/** Ends half-way: the kubelet has its configuration, and the certificate of before still lies there. */
const HALF = KUBEADM.replace(/\n$/, '\nexit 1\n');
const JOIN = 'kubeadm join --token abcdef.0123456789abcdef 10.0.0.1:6443';
const KEPT = `#cloud-config\nslipway: {wipe: false}\nruncmd: [${JOIN}]\n`;
const GOOD = `#cloud-config\nruncmd: [echo first >>/log, ${JOIN}]\n`;
type Recorder = BootstrapOptions['watcher']['record'];
const SEED = 'var/lib/cloud/seed/nocloud';

const WRONG: [string, string, string][] = [
  ['bad YAML', '#cloud-config\nwrite_files: [\n', 'UserDataSyntax'],
  ['a key that is wrong', '#cloud-config\nwrite_files: [{content: x}]\n', 'UserDataInvalid'],
  ['an unknown format', '{"neither": "one", "nor": "other"}', 'UserDataFormatUnknown'],
  ['what makes no node', '#cloud-config\nruncmd: [kubeadm jion]\n', 'UserDataMakesNoNode'],
  ['nothing', '', 'UserDataEmpty'],
];

describe.runIf(process.getuid?.() === 0)('a boot of a node with other user data (needs root)', () => {
  let root: TinyRoot;
  beforeEach(() => {
    root = makeTinyRoot(['mkdir']);
    put('usr/bin/kubeadm', KUBEADM);
    chmodSync(join(root.path, 'usr/bin/kubeadm'), 0o755);
    put('etc/machine-id', `${'a'.repeat(32)}\n`);
    seed('i-1', GOOD);
  });
  afterEach(() => root.remove());

  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root.path, path)), { recursive: true });
    writeFileSync(join(root.path, path), text);
  };
  const seed = (id: string, userData: string) => {
    put(`${SEED}/meta-data`, `instance-id: ${id}\n`);
    put(`${SEED}/user-data`, userData);
  };
  const log = () => readFileSync(join(root.path, 'log'), 'utf8');
  const boot = async (how: { isAgain?: boolean; stop?: AbortSignal; record?: Recorder } = {}) => {
    const { record = () => undefined, ...options } = how;
    rmSync(join(root.path, 'run'), { recursive: true, force: true });
    return bootstrap({
      host: createLinuxHost({ root: root.path }),
      agent: '0',
      deadlineSeconds: 60,
      stop: new AbortController().signal,
      ...options,
      watcher: { record, output: () => undefined },
      verdict: { fault: new Promise(() => undefined), unwritten: () => undefined },
    });
  };

  /** A volume that is labelled as a seed is, where the kernel has mounted it. */
  const volume = (id: string, userData: string, more = '') => {
    put('mnt/volume/meta-data', `instance-id: ${id}\n${more}`);
    put('mnt/volume/user-data', userData);
    put('dev/vdb', '');
    put('proc/self/mounts', '/dev/vdb /mnt/volume iso9660 ro 0 0\n');
    mkdirSync(join(root.path, 'dev/disk/by-label'), { recursive: true });
    rmSync(join(root.path, 'dev/disk/by-label/cidata'), { force: true });
    symlinkSync('../../vdb', join(root.path, 'dev/disk/by-label/cidata'));
  };
  const EVIL = '#cloud-config\nbootcmd: [echo evil >>/log]\nruncmd: [echo evil >>/log]\n';

  it.each([
    ['another instance', 'i-2', EVIL, ''],
    ['the same instance', 'i-1', EVIL, ''],
    ['another place', 'i-1', EVIL, 'seedfrom: /mnt/volume\n'],
    ['nothing to do', 'i-2', '', ''],
  ])('does nothing that a volume says which came later, of %s', async (_, id, userData, more) => {
    expect((await boot()).result).toBe('succeeded');
    volume(id, userData, more);
    const outcome = await boot();
    expect(outcome).toMatchObject({ result: 'succeeded', instance: 'i-1' });
    expect(outcome.findings.at(-1)).toMatchObject({ severity: 'warning', code: 'NodeLeftAsItIs' });
    expect(outcome.findings.at(-1)?.message).toMatch(/of nocloud \(.*came on no volume/);
    // What was left is not noted as what made the node.
    expect((await boot()).findings.at(-1)).toMatchObject({ code: 'NodeLeftAsItIs' });
    expect(log()).toBe('first\njoined\n');
  });

  it('has the first boot of a newer version note what made it a node, and then believes no volume', async () => {
    expect((await boot()).result).toBe('succeeded');
    const journal = join(root.path, JOURNAL);
    const written = readFileSync(journal, 'utf8');
    const [, noted = ''] = /,"noted":({[^}]*})/.exec(written) ?? [];
    const { seed, ...older } = JSON.parse(noted);
    expect(seed).toBeNull();
    writeFileSync(journal, written.replace(`,"noted":${noted}`, ''));
    put(INSTANCE_NOTE, JSON.stringify({ version: 1, instance: 'i-1', ...older }));
    expect(await boot()).toMatchObject({ result: 'succeeded', findings: [] });
    expect(existsSync(join(root.path, INSTANCE_NOTE))).toBe(false);
    volume('i-2', EVIL);
    expect((await boot()).findings.at(-1)).toMatchObject({ code: 'NodeLeftAsItIs' });
    expect(log()).toBe('first\njoined\n');
  });

  it('asks the source that it had before, as if such a volume were not there', async () => {
    const drive = 'var/lib/cloud/seed/config_drive/openstack/latest';
    rmSync(join(root.path, SEED), { recursive: true });
    put(`${drive}/meta_data.json`, '{"uuid": "i-1"}');
    put(`${drive}/user_data`, GOOD);
    expect((await boot()).result).toBe('succeeded');
    volume('i-2', EVIL);
    expect(await boot()).toMatchObject({ result: 'succeeded', instance: 'i-1', findings: [] });
    expect(log()).toBe('first\njoined\n');
  });

  it('has no network of such a volume, neither at once nor on the way to where it leads', async () => {
    const host = createLinuxHost({ root: root.path });
    const network = () => localNetwork(host, (found) => foreignSeed(host, found));
    const config = 'version: 2\nethernets:\n  card0: {addresses: [198.51.100.7/24]}\n';
    put('mnt/volume/network-config', config);
    volume('i-2', EVIL);
    expect((await network()).settings).toBeDefined();
    rmSync(join(root.path, 'dev'), { recursive: true });
    expect((await boot()).result).toBe('succeeded');
    for (const more of ['', 'seedfrom: http://198.51.100.1/\n']) {
      volume('i-2', EVIL, more);
      expect((await network()).settings).toBeUndefined();
    }
  });

  it('asks no address that such a volume names, and the one of its own volume at every boot', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (/(?:vendor-data|network-config)$/.test(request.url ?? '')) response.statusCode = 404;
      response.end(request.url?.endsWith('user-data') ? GOOD : 'local-hostname: n1\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const leading = (path: string) => `seedfrom: http://127.0.0.1:${port}/${path}/\n`;
    try {
      rmSync(join(root.path, SEED), { recursive: true });
      volume('i-1', '', leading('own'));
      expect((await boot()).result).toBe('succeeded');
      expect(asked).toContain('/own/user-data');
      asked.length = 0;
      expect(await boot()).toMatchObject({ result: 'succeeded', findings: [] });
      expect(asked).toContain('/own/user-data');
      asked.length = 0;
      for (const [id, user, more] of [
        ['i-1', '', leading('evil')],
        ['i-2', '', leading('own')],
        ['i-1', EVIL, leading('own')],
        ['i-1', '', `${leading('own')}network-interfaces: evil\n`],
      ] as const) {
        volume(id, user, more);
        const outcome = await boot();
        expect(outcome).toMatchObject({ result: 'succeeded', instance: 'i-1' });
        expect(outcome.findings.at(-1)).toMatchObject({ code: 'NodeLeftAsItIs' });
      }
      expect([asked, log()]).toEqual([[], 'first\njoined\n']);
    } finally {
      server.close();
    }
  });

  it.each([
    ['', 'came on no volume'],
    ['seed', 'were others'],
  ])(
    'asks no address that a volume names which came later, whatever made it a node (%s)',
    async (how, why) => {
      if (how === 'seed') {
        rmSync(join(root.path, SEED), { recursive: true });
        volume('i-1', GOOD);
      }
      expect((await boot()).result).toBe('succeeded');
      let asked = 0;
      const server = createServer((_, response) => {
        asked += 1;
        response.end('');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        volume('i-2', '', `seedfrom: http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
        expect((await boot()).findings.at(-1)?.message).toMatch(why);
        expect(asked).toBe(0);
      } finally {
        server.close();
      }
    },
  );

  it('goes by its own volume at every boot, and by others where somebody asks for them', async () => {
    rmSync(join(root.path, SEED), { recursive: true });
    volume('i-1', GOOD.replace('#cloud-config', '#cloud-config\nbootcmd: [echo boot >>/log]'));
    for (const _ of [1, 2]) expect(await boot()).toMatchObject({ result: 'succeeded', findings: [] });
    expect(log()).toBe('boot\nfirst\njoined\n');
    const other = `#cloud-config\nwrite_files: [{path: /other, content: x}]\nruncmd: [${JOIN}]\n`;
    volume('i-1', other);
    expect((await boot()).findings.at(-1)?.message).toMatch(/were others/);
    expect(existsSync(join(root.path, 'other'))).toBe(false);
    expect((await boot({ isAgain: true })).result).toBe('succeeded');
    expect(existsSync(join(root.path, 'other'))).toBe(true);
    expect(await boot()).toMatchObject({ result: 'succeeded', findings: [] });
  });

  it('goes on by user data on its own disk that have lost their secrets, where a volume leads to them', async () => {
    volume('i-1', '', `seedfrom: file:///${SEED}/\n`);
    seed('i-1', GOOD.replace('#cloud-config', '#cloud-config\nbootcmd: [echo boot >>/log]'));
    for (const _ of [1, 2]) expect(await boot()).toMatchObject({ result: 'succeeded', findings: [] });
    expect(readFileSync(join(root.path, SEED, 'user-data'), 'utf8')).not.toContain('0123456789abcdef');
  });

  it.each(WRONG)('leaves it as it is with %s, and says what is wrong', async (_, userData, code) => {
    expect((await boot()).result).toBe('succeeded');
    seed('i-1', userData);
    const outcome = await boot();
    expect(outcome).toMatchObject({ result: 'succeeded', exitStatus: 0, instance: 'i-1' });
    expect(outcome.findings.at(-1)).toMatchObject({ severity: 'warning', code: 'NodeLeftAsItIs' });
    expect(outcome.findings.at(-1)?.message).toContain(`(${code})`);
    expect(outcome.steps.map(({ result }) => result)).not.toContain('not run');
    // Nothing of them is noted as what made the node.
    const ends = readFileSync(join(root.path, JOURNAL), 'utf8').match(/"sequence\.ended".*/g) ?? [];
    expect(ends.map((end) => end.includes('"noted"'))).toEqual([true, false]);
    // What a reboot takes is put back, and nothing else is done.
    expect(readFileSync(join(root.path, SENTINEL), 'utf8')).toBe('success\n');
    expect(log()).toBe('first\njoined\n');
    // They stay where they lie, and the node is itself again with those that it had.
    expect(readFileSync(join(root.path, SEED, 'user-data'), 'utf8')).toBe(userData);
    seed('i-1', GOOD);
    expect(await boot()).toMatchObject({ result: 'succeeded', findings: [] });
    expect(log()).toBe('first\njoined\n');
  });

  it('leaves it as it is where its source is gone', async () => {
    await boot();
    rmSync(join(root.path, SEED), { recursive: true });
    const outcome = await boot();
    expect(outcome).toMatchObject({ result: 'succeeded', instance: 'i-1' });
    expect(outcome.findings.map(({ message }) => message).join()).toMatch(/\(UserDataNotFound\)/);
    // Another machine made of its image is nobody's node yet.
    put('etc/machine-id', `${'b'.repeat(32)}\n`);
    expect(await boot()).toMatchObject({ result: 'transient', failure: { code: 'UserDataNotFound' } });
  });

  it.each([
    ['where it has not joined', () => rmSync(join(root.path, 'etc/kubernetes'), { recursive: true })],
    ['where its journal is gone', () => rmSync(join(root.path, JOURNAL))],
    [
      'where its journal cannot be read',
      () => {
        rmSync(join(root.path, JOURNAL));
        mkdirSync(join(root.path, JOURNAL));
      },
    ],
    ['as another instance', () => put(`${SEED}/meta-data`, 'instance-id: i-2\n')],
  ])('refuses what is wrong %s', async (_, before) => {
    await boot();
    seed('i-1', '#cloud-config\nwrite_files: [\n');
    before();
    const outcome = await boot();
    expect(outcome).toMatchObject({ result: 'bad-input', failure: { code: 'UserDataSyntax' } });
    expect(existsSync(join(root.path, SENTINEL))).toBe(false);
  });

  const leftHalfWay = async () => {
    seed('i-1', KEPT);
    await boot();
    rmSync(join(root.path, 'etc/kubernetes'), { recursive: true });
    put('usr/bin/kubeadm', HALF);
    const stop = new AbortController();
    const record: Recorder = (line) => {
      if (line.type === 'step.ended' && line.result === 'failed') stop.abort();
    };
    expect((await boot({ stop: stop.signal, record })).failure?.code).toBe('Interrupted');
  };

  it.each([
    ['wrong', () => seed('i-1', '#cloud-config\nwrite_files: [\n'), 'UserDataSyntax'],
    ['gone', () => rmSync(join(root.path, SEED), { recursive: true }), 'UserDataNotFound'],
  ])(
    'takes no machine for a node that another join left half-way, with user data that are %s',
    async (_, wrong, code) => {
      await leftHalfWay();
      wrong();
      expect(await boot()).toMatchObject({ failure: { code } });
      expect(existsSync(join(root.path, SENTINEL))).toBe(false);
    },
  );

  it('finishes a join that was left half-way, also with other user data', async () => {
    await leftHalfWay();
    put('usr/bin/kubeadm', KUBEADM);
    seed('i-1', KEPT.replace('runcmd:', 'write_files: [{path: /etc/new, content: x}]\nruncmd:'));
    rmSync(join(root.path, 'log'));
    expect(await boot()).toMatchObject({ result: 'succeeded', findings: [] });
    expect(log()).toBe('joined\n');
  });

  it('takes no machine for a node that another instance has been at since', async () => {
    await boot();
    seed('i-2', `#cloud-config\nslipway: {onError: stop}\nruncmd: ['false', ${JOIN}]\n`);
    expect((await boot()).result).toBe('failed');
    rmSync(join(root.path, SEED), { recursive: true });
    expect(await boot()).toMatchObject({ result: 'transient', failure: { code: 'UserDataNotFound' } });
  });

  it('has no verdict on a machine whose agent was told to stop before it had heard of its source', async () => {
    await boot();
    rmSync(join(root.path, SEED), { recursive: true });
    expect((await boot({ stop: AbortSignal.abort() })).result).toBe('transient');
    expect(existsSync(join(root.path, SENTINEL))).toBe(false);
  });

  it('takes no machine for a node that its user data made none of', async () => {
    seed('i-1', '#cloud-config\nslipway: {kubeadm: none}\nruncmd: [echo other]\n');
    expect((await boot()).result).toBe('succeeded');
    for (const path of ['etc/kubernetes/kubelet.conf', 'var/lib/kubelet/pki/kubelet-client-current.pem'])
      put(path, '');
    seed('i-1', '');
    expect(await boot()).toMatchObject({ result: 'bad-input', failure: { code: 'UserDataEmpty' } });
  });

  it('refuses what is wrong to who asked for it', async () => {
    await boot();
    seed('i-1', '#cloud-config\nwrite_files: [\n');
    expect(await boot({ isAgain: true })).toMatchObject({ result: 'bad-input' });
    expect(log()).toBe('first\njoined\n');
  });
});
