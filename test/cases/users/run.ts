import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloudInitRoot, withScratchRoot } from '../../lab/lab.ts';
import { applySteps } from '../../support/step-root.ts';
import { EXAMPLES, type Example } from './documents.ts';

export const about = 'accounts, time servers and mounts come out as with real cloud-init';

const SNAPSHOT = readFileSync(join(import.meta.dirname, 'snapshot.sh'), 'utf8')
  .replace(/^/, '{\n')
  .concat('} 2>/dev/null\n');

/** The modules by themselves, as its units would run them; the network of a scratch root is empty, so nothing is installed. */
const CLOUD_INIT = `
mkdir -p /var/lib/cloud/seed/nocloud /run/systemd/system
cat >/var/lib/cloud/seed/nocloud/user-data
printf 'instance-id: i-1\\n' >/var/lib/cloud/seed/nocloud/meta-data
cloud-init init --local >/dev/null 2>&1
cloud-init init >/dev/null 2>&1
# It ends by reloading the service, which has nobody to do it here.
cloud-init single --name ntp >/dev/null 2>&1 || :
`;

export async function run(say: (line: string) => void): Promise<void> {
  const lower = await cloudInitRoot(say);
  for (const example of EXAMPLES) {
    const expected = await byCloudInit(lower, example);
    for (const below of [false, true]) await bySlipway(lower, example, expected, below);
    say(`${example.name}: the same`);
  }
  await refusals(lower);
  say('what cannot be done is told in words, keeps nothing else from being done, and shows no secret');
  await afterKills(lower);
  say('a user whose creation was cut off is created anew, and what stood there before stays');
}

function byCloudInit(lower: string[], { before, userData }: Example): Promise<string> {
  return withScratchRoot(lower, async (root) => {
    const done = await root.run(`${before}\n${CLOUD_INIT}\n${SNAPSHOT}`, {
      input: userData,
      timeoutMs: 120_000,
    });
    assert.equal(done.code, 0, `cloud-init's side failed: ${done.stderr}`);
    return done.stdout;
  });
}

function bySlipway(lower: string[], example: Example, expected: string, below: boolean): Promise<void> {
  return withScratchRoot(lower, async (root) => {
    const { before, userData, name } = example;
    const where = `${name}, ${below ? 'below a root' : 'on the machine'}`;
    const first = await applySteps(root, userData, { before, after: SNAPSHOT, below });
    for (const [id, { result }] of Object.entries(first.steps)) {
      assert.ok(result.done, `${where}: step ${id}: ${JSON.stringify(result)}`);
    }
    const findings = Object.values(first.steps).flatMap((step) => step.findings.map(({ code }) => code));
    const noDevice =
      example.userData.includes('mounts:') && !below ? ['MountDeviceMissing', 'MountDeviceMissing'] : [];
    assert.deepEqual(findings, [...example.findings, ...noDevice], where);
    const adapted = below ? notMounted(expected) : expected;
    assert.equal(first.after, adapted, where);
    const second = await applySteps(root, withoutMembers(userData), {
      after: SNAPSHOT,
      below,
      interrupted: true,
    });
    assert.equal(second.after, adapted, `${where}: applied twice`);
  });
}

/** Below a root nothing is mounted: the mount points are there, and are plain directories. */
function notMounted(snapshot: string): string {
  return snapshot
    .replace(/(== mounted\n)1\n/, '$10\n')
    .replace('drwxrwxrwt root:root /mnt/fast', 'drwxr-xr-x root:root /mnt/fast');
}

/** Of groups that are created before their members exist; a second run, as a second run of cloud-init, would add them. */
function withoutMembers(userData: string): string {
  return userData.replace('early: [capi]', 'early: []');
}

/** cloud-init gives up at the first of these users; Slipway creates the others and says what is wrong. */
async function refusals(lower: string[]): Promise<void> {
  const userData = `#cloud-config
groups: [ok]
users:
  - {name: nohome, system: true, ssh_authorized_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK0wmN3Hr5c]}
  - {name: wrongshell, expiredate: "not a date", hashed_passwd: "$6$secret$hash"}
  - {name: ruled, sudo: "ALL=(ALL NOPASSWD"}
  - {name: linked, ssh_authorized_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK0wmN3Hr5c, nonsense]}
  - {name: fine, plain_text_passwd: top-secret, sudo: ALL=(ALL) ALL}
`;
  await withScratchRoot(lower, async (root) => {
    const { steps, after } = await applySteps(root, userData, {
      before: 'useradd -m linked; ln -s /etc /home/linked/.ssh',
      after: `cut -d: -f1 /etc/passwd | grep -E '^(nohome|wrongshell|ruled|linked|fine)$'
grep -c ruled /etc/sudoers.d/* || true; ls /etc/authorized_keys || true; visudo -c >/dev/null && echo valid`,
    });
    assert.equal(
      after,
      'linked\nruled\nfine\n/etc/sudoers.d/90-cloud-init-users:0\n/etc/sudoers.d/README:0\nvalid\n',
    );
    const result = steps.users?.result;
    assert.ok(result && !result.done && result.retry === 'no');
    assert.equal(result.failure.code, 'UserNotCreated');
    assert.match(
      result.failure.cause,
      /user nohome was not created: system leaves it without a home .*3 more/,
    );
    assert.deepEqual(
      steps.users?.findings.map(({ code }) => code),
      ['AccountSettingIgnored'],
    );
    assert.doesNotMatch(JSON.stringify(steps), /secret/);
  });
  const alone = async (user: string, before = ':') =>
    withScratchRoot(lower, async (root) => {
      const { steps } = await applySteps(root, `#cloud-config\nusers: [${user}]\n`, { before });
      const result = steps.users?.result;
      return result && !result.done ? result.failure : undefined;
    });
  const sudo = await alone('{name: ruled, sudo: "ALL=(ALL NOPASSWD"}');
  assert.match(
    sudo?.cause ?? '',
    /sudo rules of the user ruled are not valid, so none was written: .*syntax error/,
  );
  const date = await alone('{name: dated, expiredate: "not a date"}');
  assert.match(date?.cause ?? '', /^Cannot create the user dated: useradd: invalid date/);
  const tool = await alone('{name: any}', 'rm /usr/sbin/useradd');
  assert.equal(tool?.code, 'ToolMissing');
}

/** What an agent that was killed in the middle of a useradd leaves, as its note tells it. */
async function afterKills(lower: string[]): Promise<void> {
  const userData = '#cloud-config\nusers: [{name: capi, passwd: "$6$salt$hash", lock_passwd: false}]\n';
  const note = (fields: object) =>
    `mkdir -p /var/lib/slipway; printf '%s' '${JSON.stringify({ capi: fields })}' >/var/lib/slipway/new-users.json`;
  const look = 'cut -d: -f1,2 /etc/shadow | grep capi; ls -A /home/capi; ls /var/lib/slipway';
  const skeleton = '.bash_logout\n.bashrc\n.profile\n';
  await withScratchRoot(lower, async (root) => {
    const before = `${note({ phase: 'creating', newHome: '/home/capi', newGroup: true })}
groupadd capi; mkdir /home/capi; touch /home/capi/.bashrc`;
    const { after } = await applySteps(root, userData, { before, after: look });
    assert.equal(after, `capi:$6$salt$hash\n${skeleton}`, 'cut off before the user was there');
  });
  await withScratchRoot(lower, async (root) => {
    const before = `mkdir /home/capi; touch /home/capi/precious; useradd -m capi
${note({ phase: 'creating', newGroup: true })}`;
    const { after } = await applySteps(root, userData, { before, after: look });
    assert.equal(after, 'capi:$6$salt$hash\nprecious\n', 'a home directory that was there before');
  });
  await withScratchRoot(lower, async (root) => {
    const before = `useradd -m capi\n${note({ phase: 'created', newHome: '/home/capi', newGroup: true })}`;
    const { after } = await applySteps(root, userData, { before, after: look });
    assert.equal(after, `capi:$6$salt$hash\n${skeleton}`, 'cut off before the password was set');
  });
}
