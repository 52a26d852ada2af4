import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type Machine, openLab, rootWith, unpackedPackage, withScratchDir } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { metaData } from '../../support/cluster-api/user-data.ts';
import { SEED } from '../../support/machines.ts';
import { fileOf } from '../case-file.ts';
import { fill, secretsOf, valuesOf } from '../values.ts';
import { expectVerdict } from '../verdict.ts';
import { LEFT, layBuilder } from './builder.ts';

export const about = "image-builder's own play puts Slipway into an image, and its hygiene leaves it working";

/** Needs a checkout of kubernetes-sigs/image-builder, which this machine may not be able to fetch. */
export const onlyByName = true;

const ANSIBLE = ['openssh-client', 'python3-cryptography', 'python3-jinja2', 'python3-packaging'];
const MORE = ['python3-resolvelib', 'python3-yaml'];
type Say = (line: string) => void;

export async function run(say: Say): Promise<void> {
  const checkout = process.env.IMAGE_BUILDER;
  if (!checkout)
    throw new Error('IMAGE_BUILDER must be the path of a checkout of kubernetes-sigs/image-builder');
  const lab = await openLab({ say });
  try {
    await withScratchDir(async (dir) => {
      layBuilder(dir, checkout);
      const [needs = ''] = await rootWith('ansible-needs', [...ANSIBLE, ...MORE], say);
      // The package `ansible` has the collections, of which image-builder names one.
      const ansible = await Promise.all(
        ['ansible-core', 'ansible'].map((name) => unpackedPackage(name, say, 'trixie')),
      );
      const [target = ''] = await rootWith('image-builder-target', ['openssh-server', 'python3-apt'], say);
      const goss = await unpackedPackage('goss', say, 'trixie');
      const worker = { role: 'worker', cloudInit: true } as const;
      const image = await lab.up('image', { ...worker, over: [goss, target] });
      const builder = await lab.up('builder', { ...worker, over: [dir, ...ansible, needs], ready: 'init' });
      const before = await everything(image);
      assert.deepEqual(await build(builder, image), {
        'Copy it': 'changed',
        'Have it install itself': 'changed',
      });
      say('node.yml puts Slipway into the image, with the shipped variables, and cleans up');
      await expectClean(image, before, builder);
      say(
        "nothing else of Slipway's stays; slipway install --check misses nothing; image-builder's goss and ours pass",
      );
      assert.deepEqual(await build(builder, image), {});
      await expectClean(image, before, builder);
      say('again: of the role nothing changes');
      const cluster = await joinableCluster(await lab.controlPlane());
      const text = readFileSync(fileOf(import.meta.dirname, 'worker.user-data'), 'utf8');
      const userData = fill(text, await valuesOf(cluster));
      await image.put(`${SEED}/user-data`, userData, 0o600);
      await image.put(`${SEED}/meta-data`, metaData('image'), 0o600);
      // It would ask the console for the locale and time zone that images of clouds have, and this root has not.
      await image.execOk(['systemctl', 'mask', 'systemd-firstboot.service']);
      await image.reboot();
      await image.execOk(['slipway', 'status', '--wait', '--timeout', '10m'], { timeoutMs: 600_000 });
      await expectVerdict(image, { result: 'succeeded', mode: 'shim' }, secretsOf(cluster));
      assert.match(await image.read('/etc/machine-id'), /^[0-9a-f]{32}\n$/);
      say('a machine of that image joins');
    });
  } finally {
    await lab.close();
  }
}

/** One run of the play. @returns what the role did, by the name of the task, where it did something */
async function build(builder: Machine, image: Machine): Promise<Record<string, string>> {
  const key = await builder.read('/src/key.pub');
  await image.execOk(['bash', '-euc', LET_IN, 'let-in', key]);
  await builder.execOk(['sh', '-euc', `sed "s/@IP@/${image.ip}/" /src/hosts.in >/src/hosts`]);
  const { code, stdout, stderr } = await builder.exec(['sh', '-eu', '/src/build.sh'], {
    timeoutMs: 1_200_000,
  });
  assert.equal(code, 0, `${stdout}${stderr}`);
  const told = [...stdout.matchAll(/^TASK \[\S*slipway : ([^\]]*)\] \*+\n(\w+):/gm)];
  assert.ok(told.length >= 5, stdout);
  return Object.fromEntries(
    told.flatMap(([, name = '', did = '']) => (did === 'changed' ? [[name, did]] : [])),
  );
}

/** As the base image of a cloud lets in who builds on it; each run takes that away again. */
const LET_IN = `id builder >/dev/null 2>&1 || useradd -m -s /bin/bash builder
echo 'builder ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/builder
install -d -m 700 -o builder -g builder ~builder/.ssh
echo "$1" >~builder/.ssh/authorized_keys
ssh-keygen -A >/dev/null
systemctl start ssh.service`;

async function everything(image: Machine): Promise<Set<string>> {
  const told = await image.execOk(['find', '/', '-xdev', '-not', '-type', 'd', '-iname', '*slipway*']);
  return new Set(told.split('\n').filter((path) => path !== ''));
}

async function expectClean(image: Machine, before: ReadonlySet<string>, builder: Machine): Promise<void> {
  const there = [...(await everything(image))].filter((path) => !before.has(path));
  assert.deepEqual(there.sort(), LEFT);
  for (const path of ['/var/lib/slipway', '/run/slipway', '/etc/slipway'])
    assert.equal(await image.exists(path), false, path);
  assert.equal(
    (await image.exec(['grep', '-rli', '--exclude-dir=journal', 'slipway', '/var/log', '/tmp', '/var/tmp']))
      .stdout,
    '',
  );
  const { stdout: id } = await image.exec(['cat', '/etc/machine-id']);
  assert.ok(['', 'uninitialized\n'].includes(id), id);
  const check = await image.exec(['slipway', 'install', '--check']);
  assert.equal(check.code, 0, check.stdout);
  const goss = await builder.execOk(['tar', '-C', '/src/image-builder/images/capi/packer/goss', '-c', '.']);
  await image.put('/run/goss.tar', goss);
  const { code, stdout, stderr } = await image.exec(['bash', '-euc', GOSS]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /Count: \d+, Failed: 0/, stdout);
}

const GOSS = `mkdir -p /run/goss && tar -C /run/goss -xf /run/goss.tar && cd /run/goss
PATH=/usr/sbin:/usr/bin:/sbin:/bin exec goss -g ours.yaml --vars-inline 'OS: debian' validate --no-color`;
