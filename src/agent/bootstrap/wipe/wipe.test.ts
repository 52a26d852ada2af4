import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../../test/support/tiny-root.ts';
import { JOURNAL, SENTINEL, WIPED_NOTE } from '../../document/paths.ts';
import type { Files } from '../../host/files.ts';
import { type Host, HostError } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { bootstrap } from '../bootstrap.ts';

const TOKEN = 'fedcba9876543210';
const KEY = 'c0ffee0123456789'.repeat(4);
const VAULT = 'pl4nted-in-base64';
const EVERY_BOOT = 'needed-at-every-boot';
const SEED = '/var/lib/cloud/seed/nocloud/user-data';
const INSTANCE = '/var/lib/cloud/instances/i-1';

const KUBEADM = `#!/bin/sh
[ "$1" = version ] && exec echo v1.31.2
[ "$1" = reset ] && exit
echo "$@" >>/calls
[ -e /etc/refused ] && { echo 'error: nothing of it' >&2; exit 1; }
for file in /etc/kubernetes/kubelet.conf /var/lib/kubelet/pki/kubelet-client-current.pem; do echo x >$file; done
`;

const userData = (settings = '') => `#cloud-config
${settings}
users: [{name: root, lock_passwd: false}]
bootcmd:
- echo password=${EVERY_BOOT} >>/booted
write_files:
- path: /run/kubeadm/join.yaml
  owner: "0:0"
  permissions: '0600'
  content: |
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: JoinConfiguration
    discovery:
      bootstrapToken: {token: abcdef.${TOKEN}, apiServerEndpoint: "127.0.0.1:1", unsafeSkipCAVerification: true}
    controlPlane: {certificateKey: ${KEY}}
- {path: /etc/vault, owner: "0:0", encoding: b64, content: ${Buffer.from(`password: ${VAULT}\n`).toString('base64')}}
runcmd:
- kubeadm join --ignore-preflight-errors=all --config /run/kubeadm/join.yaml
`;

describe.runIf(process.getuid?.() === 0)('wiping user data (needs root)', () => {
  let root: TinyRoot;
  const at = (path: string) => join(root.path, path);
  const put = (path: string, content: string | Buffer, mode = 0o600) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content, { mode });
  };
  const seed = (content: string | Buffer) => {
    put(SEED, content);
    put(join(dirname(SEED), 'meta-data'), 'instance-id: i-1\n');
  };
  beforeEach(() => {
    root = makeTinyRoot(['mkdir']);
    for (const path of ['etc/kubernetes/manifests', 'etc/kubernetes/pki', 'var/lib/kubelet/pki', 'usr/bin'])
      mkdirSync(at(path), { recursive: true });
    put('/usr/bin/kubeadm', KUBEADM, 0o755);
  });
  afterEach(() => root.remove());

  const machine = (files: Partial<Files> = {}, boot = 'one'): Host => {
    const host = createLinuxHost({ root: root.path });
    const lock: Host['lock'] = async () => ({ release: async () => undefined });
    return {
      ...host,
      lock,
      files: { ...host.files, ...files },
      bootId: async () => boot,
      random: () => 0.999,
    };
  };
  const run = (host: Host, deadlineSeconds = 60) =>
    bootstrap({
      host,
      agent: '0',
      deadlineSeconds,
      stop: new AbortController().signal,
      watcher: { record: () => undefined, output: () => undefined },
      verdict: { fault: new Promise<never>(() => undefined), unwritten: () => undefined },
    });
  const calls = () => readFileSync(at('/calls'), 'utf8').trim().split('\n').length;

  it('takes the secrets from the seed after success, and the next boots take nothing for new', async () => {
    for (const [what, given] of [
      ['plain', userData()],
      ['compressed', gzipSync(userData())],
    ] as const) {
      seed(given);
      expect(await run(machine()), what).toMatchObject({ result: 'succeeded', findings: [] });
      const left = readFileSync(at(SEED));
      expect(left, what).toHaveLength(given.length);
      for (const secret of [TOKEN, KEY, VAULT, Buffer.from(VAULT).toString('base64').slice(2, -4)])
        expect(left.toString(), what).not.toContain(secret);
      expect(statSync(at(SEED)).mode & 0o777).toBe(0o600);
      const before = calls();
      for (const boot of ['two', 'three']) {
        rmSync(at(SENTINEL));
        rmSync(at('/booted'));
        const again = await run(machine({}, boot));
        expect(again, what).toMatchObject({ result: 'succeeded', findings: [] });
        expect(again.steps.every(({ result }) => result === 'done')).toBe(true);
        expect(readFileSync(at(SENTINEL), 'utf8')).toBe('success\n');
        expect(readFileSync(at('/booted'), 'utf8')).toBe(`password=${EVERY_BOOT}\n`);
      }
      expect(calls()).toBe(before);
      expect(readFileSync(at('/etc/vault'), 'utf8')).toContain(VAULT);
      expect(readFileSync(at(SEED))).toEqual(left);
      for (const path of [SENTINEL, dirname(JOURNAL)]) rmSync(at(path), { recursive: true });
    }
  });

  it('takes them from what cloud-init keeps as well', async () => {
    const given = userData();
    const kept = {
      'user-data.txt': given,
      'user-data.txt.i': `MIME-Version: 1.0\n\n${Buffer.from(given).toString('base64').replace(/.{76}/g, '$&\n')}`,
      'scripts/runcmd': `#!/bin/sh\nkubeadm join --token abcdef.${TOKEN}\n`,
      'obj.pkl': Buffer.from(`\x80\x04\x8c\x10cloudinit.config\x94\x8c${given}\x94.`, 'latin1'),
      datasource: 'DataSourceNoCloud\n',
    };
    seed(given);
    for (const [name, content] of Object.entries(kept)) put(`${INSTANCE}/${name}`, content, 0o700);
    const sizes = Object.keys(kept).map((name) => statSync(at(`${INSTANCE}/${name}`)).size);
    expect(await run(machine())).toMatchObject({ result: 'succeeded', findings: [] });
    for (const [index, name] of Object.keys(kept).entries()) {
      const text = readFileSync(at(`${INSTANCE}/${name}`), 'latin1');
      const all = text + Buffer.from(text.replace(/\s/g, '').slice(15), 'base64').toString();
      for (const secret of [TOKEN, KEY]) expect(all, name).not.toContain(secret);
      expect(text).toHaveLength(sizes[index] ?? 0);
      expect(statSync(at(`${INSTANCE}/${name}`)).mode & 0o777).toBe(0o700);
    }
    expect(readFileSync(at(`${INSTANCE}/obj.pkl`), 'latin1')).toContain('cloudinit.config');
  });

  it('leaves them before success, and where that is asked for', async () => {
    seed(userData());
    put('/etc/refused', '');
    expect(await run(machine(), 1)).not.toMatchObject({ result: 'succeeded' });
    expect(readFileSync(at(SEED), 'utf8')).toBe(userData());
    rmSync(at('/etc/refused'));
    rmSync(at(dirname(JOURNAL)), { recursive: true });
    const keeps = userData('slipway: {wipe: false}');
    seed(keeps);
    expect(await run(machine())).toMatchObject({ result: 'succeeded' });
    expect(readFileSync(at(SEED), 'utf8')).toBe(keeps);
    expect(existsSync(at(WIPED_NOTE))).toBe(false);
  });

  it('ends the same wherever the power fails', async () => {
    const given = userData();
    for (const [fatal, written] of [
      [WIPED_NOTE, false],
      [WIPED_NOTE, true],
      [SEED, false],
      [SEED, true],
    ] as const) {
      seed(given);
      put(`${INSTANCE}/user-data.txt`, given);
      let die = (): void => undefined;
      const dead = new Promise<void>((resolve) => {
        die = resolve;
      });
      const { files } = createLinuxHost({ root: root.path });
      const write: Files['write'] = async (path, ...what) => {
        if (path !== fatal) return files.write(path, ...what);
        if (written) await files.write(path, ...what);
        die();
        return new Promise<never>(() => undefined);
      };
      await Promise.race([run(machine({ write })), dead]);
      const after = await run(machine({}, 'two'));
      expect(after).toMatchObject({ result: 'succeeded' });
      expect(calls()).toBe(1);
      for (const path of [SEED, `${INSTANCE}/user-data.txt`])
        expect(readFileSync(at(path), 'utf8'), `${fatal} ${written}`).not.toContain(TOKEN);
      for (const path of ['/calls', SENTINEL, dirname(JOURNAL)]) rmSync(at(path), { recursive: true });
    }
  });

  it('says where it could not, and tries again', async () => {
    seed(userData());
    const { files } = createLinuxHost({ root: root.path });
    const write: Files['write'] = async (path, ...what) => {
      if (path === SEED) throw new HostError(`writing ${SEED} failed: read-only file system`, 'EROFS');
      return files.write(path, ...what);
    };
    const outcome = await run(machine({ write }));
    expect(outcome).toMatchObject({
      result: 'succeeded',
      findings: [{ code: 'SourceNotServed', message: expect.stringContaining('read-only file system') }],
    });
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
    expect(await run(machine({}, 'two'))).toMatchObject({ result: 'succeeded', findings: [] });
    expect(readFileSync(at(SEED), 'utf8')).not.toContain(TOKEN);
  });

  it('refuses what was wiped on a machine that is to be made anew', async () => {
    seed(userData());
    await run(machine());
    put(join(dirname(SEED), 'meta-data'), 'instance-id: i-2\n');
    expect(await run(machine())).toMatchObject({
      result: 'failed',
      exitStatus: 1,
      failure: { code: 'UserDataWiped', remedy: expect.stringContaining('new user data') },
    });
    expect(await run(machine())).toMatchObject({ failure: { code: 'UserDataWiped' } });
    expect(calls()).toBe(1);
    seed(userData().replace(TOKEN, '0123456789abcdef'));
    expect(await run(machine())).toMatchObject({ result: 'succeeded' });
  });

  it.each([
    ['is gone', () => rmSync(at(JOURNAL))],
    ['ends in the middle of kubeadm', () => writeFileSync(at(JOURNAL), untilKubeadm())],
    ['ends there, with a line that cannot be read', () => writeFileSync(at(JOURNAL), `x\n${untilKubeadm()}`)],
  ])('takes a node for what it is where its journal %s', async (_, lose) => {
    seed(userData());
    await run(machine());
    lose();
    rmSync(at(SENTINEL));
    const outcome = await run(machine({}, 'two'));
    expect(outcome).toMatchObject({ result: 'succeeded', findings: [{ code: 'JournalDamaged' }] });
    expect(outcome.findings[0]?.message).toContain('this machine is a node all the same');
    expect(readFileSync(at(SENTINEL), 'utf8')).toBe('success\n');
    expect(await run(machine({}, 'three'))).toMatchObject({ result: 'succeeded', findings: [] });
    expect(calls()).toBe(1);
  });

  it('refuses what was wiped where the journal is gone and the node too', async () => {
    seed(userData());
    await run(machine());
    rmSync(at(JOURNAL));
    rmSync(at('/etc/kubernetes/kubelet.conf'));
    expect(await run(machine({}, 'two'))).toMatchObject({ failure: { code: 'UserDataWiped' } });
    put('/etc/kubernetes/kubelet.conf', 'x');
    expect(await run(machine({}, 'three'))).toMatchObject({ result: 'succeeded' });
    expect(calls()).toBe(1);
  });

  /** The journal as it was when kubeadm had begun. */
  function untilKubeadm(): string {
    const lines = readFileSync(at(JOURNAL), 'utf8').split('\n');
    const began = lines.findIndex((line) => /"step\.started","step":"kubeadm"/.test(line));
    expect(began).toBeGreaterThan(0);
    return `${lines.slice(0, began + 1).join('\n')}\n`;
  }
});
