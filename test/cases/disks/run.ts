import assert from 'node:assert/strict';
import { basename } from 'node:path';
import type { StepResult } from '../../../src/agent/engine/step.ts';
import { cloudInitRoot, type ScratchRoot, withScratchRoot } from '../../lab/lab.ts';
import type { Applied } from '../../support/apply-steps.ts';
import { withLoopDisks } from '../../support/loop-disk.ts';
import { applySteps } from '../../support/step-root.ts';

export const about = 'disks are partitioned, formatted and mounted, and nothing of value is destroyed';

export async function run(say: (line: string) => void): Promise<void> {
  const lower = await cloudInitRoot(say);
  const onDisks = (sizes: number[], use: (root: ScratchRoot, disks: string[]) => Promise<void>) =>
    withLoopDisks(sizes, (disks) => withScratchRoot(lower, (root) => use(root, disks)));
  await onDisks([96, 96], freshDisks);
  say('two fresh disks: partitioned (mbr and gpt), formatted, mounted; a second run changes nothing');
  await onDisks([64, 64, 64], usedDisks);
  say('disks that hold something are left alone, and give way with overwrite and replace_fs');
  await onDisks([64, 64], refusals);
  say('a mounted disk is not touched; what cannot be done is told in words');
  await onDisks([64], cutOff);
  say('a mkfs that was cut off is done again');
}

async function freshDisks(root: ScratchRoot, [one = '', two = '']: string[]): Promise<void> {
  const userData = `#cloud-config
disk_setup:
  ${one}: {table_type: mbr, layout: [[25, 82], 50, [25, 83]], overwrite: false}
  ${two}: {table_type: gpt, layout: [[50, 8300], [50, 8200]]}
fs_setup:
  - {label: swap, filesystem: swap, device: ${one}, partition: 1}
  - {label: etcd_disk, filesystem: ext4, device: ${one}, partition: auto, extra_opts: [-E, "lazy_itable_init=1"]}
  - {label: FATTY, filesystem: vfat, device: ${one}.3}
  - {label: data disk, filesystem: ext4, device: ${two}, partition: any}
  - {label: ephemeral0, filesystem: ext4, device: ephemeral0.1, replace_fs: ntfs}
mounts:
  - [LABEL=etcd_disk, /var/lib/etcd disk]
  - [${two}, /srv/data, ext4, "defaults,noatime", '0', '2']
  - [ephemeral0, /mnt]
`;
  const look = `
sfdisk --dump ${one} | grep -o 'size=.*'; sfdisk --dump ${two} | grep -o 'size=.*, type=[^,]*'
for part in ${one}p1 ${one}p2 ${one}p3 ${two}p1 ${two}p2; do blkid -p -o value -s LABEL -s TYPE -s UUID $part; done
grep -c cloudconfig /etc/fstab; awk '$5 ~ "^/(srv|var/lib)/" {print $5}' /proc/self/mountinfo; stat -c %m '/var/lib/etcd disk' /srv/data
ls /mnt`;
  // Mounts end with the namespaces, so both runs are made in the same.
  const again = '/checkout/node_modules/.bin/node /checkout/test/support/apply-steps.ts </tmp/user-data';
  const after = `${look} >/tmp/first; cat /tmp/first; echo ==; ${again}; { ${look}\n} >/tmp/second; cmp /tmp/first /tmp/second && echo same
umount '/var/lib/etcd disk' /srv/data`;
  const {
    steps,
    report,
    after: seen,
  } = await applySteps(root, userData, {
    before: 'cat >/tmp/user-data; exec </tmp/user-data',
    after: after.replace(look, `{ ${look}\n}`),
  });
  expectDone(steps);
  assert.equal(
    steps.disks?.result.done && steps.disks.result.message,
    `${one} partitioned (3); ${two} partitioned (2)`,
  );
  assert.match(report.join('\n'), /^fs_setup: .*ephemeral0\.1.* the entry is left out\.$/);
  assert.deepEqual(codes(steps), ['MountDeviceMissing']);
  const [first = '', second = ''] = seen.split('==\n');
  assert.match(first, /type=82\n.*type=83\n.*type=83\n/s, 'the mbr types');
  assert.match(first, /type=0FC63DAF-.*\n.*type=0657FD6D-/, 'the gpt types');
  assert.match(first, /swap\n.*etcd_disk\n.*FATTY\n/s, 'the labels');
  assert.ok(first.includes('/var/lib/etcd\\040disk\n'), 'mounted by label, with a space in its path');
  assert.ok(first.includes('/srv/data\n'), 'mounted by the disk, whose first partition is meant');
  const [answer = '', verdict] = second.split('\n');
  const repeated = (JSON.parse(answer) as Applied).steps;
  expectDone(repeated);
  assert.equal(verdict, 'same', 'a second run changes nothing');
  assert.equal(
    repeated.disks?.result.done && repeated.disks.result.message,
    `${one} was partitioned; ${two} was partitioned`,
  );
}

async function usedDisks(root: ScratchRoot, [ext = '', table = '', other = '']: string[]): Promise<void> {
  const before = `mkfs.ext4 -q -L precious ${ext}; printf ',16M\\n,\\n' | sfdisk -q ${table}; partx -u ${table}
mkfs.ext4 -q -L first ${table}p1; mkfs.vfat -n OLD ${other} >/dev/null`;
  const sums = `for disk in ${ext} ${table} ${other}; do sha256sum $disk; done`;
  const userData = (overwrite: boolean) => `#cloud-config
users: []
disk_setup:
  ${ext}: {table_type: gpt, layout: true, overwrite: ${overwrite}}
  ${table}: {table_type: gpt, layout: [50, 50], overwrite: ${overwrite}}
fs_setup:
  - {label: new, filesystem: ext4, device: ${table}, partition: 1, overwrite: ${overwrite}}
  - {label: new, filesystem: ext4, device: ${other}, partition: none, overwrite: ${overwrite}}
`;
  const kept = await applySteps(root, userData(false), {
    before: `{ ${before}\n${sums} >/tmp/sums; } </dev/null`,
    after: `${sums} | cmp - /tmp/sums && echo unchanged`,
  });
  expectDone(kept.steps);
  assert.deepEqual(codes(kept.steps), Array(4).fill('DiskLeftAlone'));
  assert.equal(kept.after, 'unchanged\n', 'not a byte of the disks has changed');

  const replaced = await applySteps(
    root,
    `#cloud-config\nfs_setup: [{label: new, filesystem: ext4, device: ${other}, partition: auto, replace_fs: vfat}]\n`,
    { after: `blkid -p -o value -s LABEL -s TYPE ${other}` },
  );
  expectDone(replaced.steps);
  assert.equal(replaced.after, 'new\next4\n', 'replace_fs');

  const overwritten = await applySteps(root, userData(true), {
    after: `for disk in ${ext} ${table}; do sfdisk --dump $disk | grep -c start=; done
for part in ${table}p1 ${other}; do blkid -p -o value -s LABEL $part; done; [ -z "$(blkid -p -o value -s TYPE ${ext}p1)" ] && echo empty`,
  });
  expectDone(overwritten.steps);
  assert.equal(overwritten.after, '1\n2\nnew\nnew\nempty\n', 'overwrite');
}

async function refusals(root: ScratchRoot, [mounted = '', free = '']: string[]): Promise<void> {
  const userData = `#cloud-config
disk_setup:
  ${mounted}: {table_type: gpt, layout: true, overwrite: true}
  /dev/no_such_disk: {layout: true}
  ${free}: {table_type: gpt, layout: [[100, aabb]]}
fs_setup:
  - {filesystem: ext4, device: ${mounted}, partition: none, overwrite: true}
  - {filesystem: nosuchfs, device: ${free}, partition: none}
  - {filesystem: ext4, device: ${free}, partition: none, extra_opts: [--no-such-option]}
mounts:
  - [${free}, /srv/free, ext4, defaults]
`;
  const { steps, after } = await applySteps(root, userData, {
    before: `{ mkfs.ext4 -q ${mounted}; mount ${mounted} /srv; echo precious >/srv/file; } </dev/null`,
    after: `cat /srv/file; umount /srv; fsck.ext4 -fn ${mounted} >/dev/null && echo clean; ls -A /run/slipway/exec`,
  });
  assert.equal(
    after,
    'precious\nclean\n',
    'nothing of a mounted disk is touched, and no trace is left of what failed',
  );
  const causes = (id: string) => {
    const result = steps[id]?.result;
    assert.ok(result && !result.done, `${id} must fail`);
    return result;
  };
  const disks = causes('disks');
  assert.equal(disks.failure.code, 'DiskNotFound', 'what may pass by itself comes first');
  assert.equal(disks.retry, 'yes');
  assert.match(disks.failure.cause, /no disk or partition \/dev\/no_such_disk .*2 more/);
  const filesystems = causes('filesystems');
  assert.equal(filesystems.failure.code, 'DiskInUse');
  assert.match(
    filesystems.failure.cause,
    new RegExp(`${basename(mounted)}: it, or a partition of it, is in use .*2 more`),
  );
  assert.equal(causes('mounts').failure.code, 'MountFailed');

  const alone = await applySteps(
    root,
    `#cloud-config\nfs_setup: [{filesystem: nosuchfs, device: ${free}}]\n`,
  );
  expectFailure(alone.steps.filesystems?.result, 'ToolMissing', /mkfs\.nosuchfs/);
  const option = await applySteps(
    root,
    `#cloud-config\nfs_setup: [{filesystem: ext4, device: ${free}, extra_opts: [-Z]}]\n`,
  );
  expectFailure(
    option.steps.filesystems?.result,
    'FilesystemNotMade',
    /Cannot make a file system of type ext4/,
  );
}

/** The agent was killed while mkfs went on; the one that comes after it waits for it, and does not start a second. */
async function cutOff(root: ScratchRoot, [disk = '']: string[]): Promise<void> {
  const userData = `#cloud-config\nfs_setup: [{label: data, filesystem: ext4, device: ${disk}, partition: none}]\n`;
  const before = `
exec 3<&0
mkdir /opt/real; cp -L /usr/sbin/mkfs.ext4 /opt/real/; rm /usr/sbin/mkfs.ext4
cat >/usr/sbin/mkfs.ext4 <<'END'
#!/bin/sh -e
echo began >>/var/tmp/calls
/opt/real/mkfs.ext4 "$@"
sleep 6
END
chmod 755 /usr/sbin/mkfs.ext4
cat <&3 >/tmp/user-data
/checkout/node_modules/.bin/node /checkout/test/support/apply-steps.ts </tmp/user-data >/tmp/killed & agent=$!
for i in $(seq 100); do [ -e /var/tmp/calls ] && break; sleep 0.1; done
sleep 1; kill -9 $agent
exec </tmp/user-data`;
  const { steps, after } = await applySteps(root, userData, {
    before,
    after: `cat /var/tmp/calls; blkid -p -o value -s LABEL ${disk}; fsck.ext4 -fn ${disk} >/dev/null && echo clean`,
  });
  expectDone(steps);
  assert.equal(after, 'began\ndata\nclean\n');
  const result = steps.filesystems?.result;
  assert.equal(result?.done && result.message, `ext4 made on ${disk}`);
}

function expectDone(steps: Applied['steps']): void {
  for (const [id, { result }] of Object.entries(steps)) {
    assert.ok(result.done, `step ${id}: ${result.done ? '' : JSON.stringify(result.failure)}`);
  }
}

function expectFailure(result: StepResult | undefined, code: string, cause: RegExp): void {
  assert.ok(result && !result.done, 'must fail');
  assert.equal(result.failure.code, code);
  assert.match(result.failure.cause, cause);
}

function codes(steps: Applied['steps']): string[] {
  return Object.values(steps).flatMap(({ findings }) => findings.map(({ code }) => code));
}
