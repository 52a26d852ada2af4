import assert from 'node:assert/strict';
import type { MadeRelease } from '../../support/release/made-release.ts';
import { boot, SERVE, type Settings, shipped } from './boot.ts';

interface Fault {
  readonly what: string;
  readonly settings?: Settings;
  /** Changes /srv/release. */
  readonly before?: string;
  readonly serve?: string;
  /** What cloud-init's log says. */
  readonly told: RegExp;
}

/** A release of its own that may be changed, without what the server of the others has open. */
const OWN = 'cp -r /srv/release /var/tmp/r; mount --bind /var/tmp/r /srv/release';

const FAULTS: readonly Fault[] = [
  {
    what: 'a program that was changed',
    before: `${OWN}; printf x >>/srv/release/slipway-linux-x64`,
    told: /slipway-linux-x64 is not what was signed; nothing was installed/,
  },
  {
    what: 'a program cut off, by a server that says so',
    before: `${OWN}; truncate -s 1000000 /srv/release/slipway-linux-x64`,
    told: /slipway-linux-x64 is not what was signed; nothing was installed/,
  },
  {
    what: 'a program cut off on its way',
    serve: `python3 /case/cut.py >/dev/null 2>&1 &
until curl -fs -o /dev/null http://127.0.0.1:8080/SHA256SUMS; do sleep 0.2; done`,
    settings: { wait: 20 },
    told: /slipway-linux-x64 cannot be fetched: curl: .*; tried for 20 s; nothing was installed/,
  },
  {
    what: 'another digest than the settings have',
    settings: { sha256: 'a'.repeat(64) },
    told: /slipway-linux-x64 has another digest than SLIPWAY_SHA256; nothing was installed/,
  },
  {
    what: "a stranger's signature",
    settings: { key: '' },
    told: /SHA256SUMS is signed by another key; nothing was installed/,
  },
  {
    what: 'an older release that is signed as well',
    settings: { version: '99.0.0' },
    told: /this is "slipway .*", not slipway 99\.0\.0; nothing was installed/,
  },
  {
    what: 'sums that were changed',
    before: `${OWN}; sed -i s/^0/1/ /srv/release/SHA256SUMS`,
    told: /signature does not belong to SHA256SUMS; nothing was installed/,
  },
  {
    what: 'sums that never end',
    serve: 'python3 /case/endless.py >/dev/null 2>&1 &',
    settings: { wait: 5 },
    told: /SHA256SUMS cannot be fetched: .*; tried for 5 s; nothing was installed/s,
  },
  {
    what: 'no server at all',
    serve: ':',
    settings: { wait: 5 },
    told: /SHA256SUMS cannot be fetched: .*; tried for 5 s; nothing was installed/s,
  },
  {
    what: 'no OpenSSL',
    before: 'rm /usr/bin/openssl',
    told: /openssl is missing, without which no signature can be checked; nothing was installed/,
  },
  {
    what: 'settings that nobody filled in',
    settings: { url: '@URL@' },
    told: /the settings still have a name between two @; nothing was installed/,
  },
];

/** Whatever is wrong is said in one sentence, nothing of Slipway is there, and cloud-init goes on. */
export async function expectRefused(release: MadeRelease, say: (line: string) => void): Promise<void> {
  for (const { what, settings = {}, before = '', serve = SERVE, told } of FAULTS) {
    const own = settings.key === '' ? { ...settings, key: release.strangersKey } : settings;
    const { code, stdout, stderr } = await boot({
      userData: '#cloud-config\nruncmd:\n- command -v kubeadm >/var/tmp/told\n',
      vendorData: shipped('vendor-data.sh', release, own),
      before,
      serve,
      folder: release.folder,
      after: `find / -xdev -path /proc -prune -o -path /srv -prune -o -path /var/tmp/r -prune -o -name '*slipway*' -print
echo end of list
cat /var/tmp/told /var/log/cloud-init.log`,
    });
    assert.equal(code, 0, `${what}: ${stdout}${stderr}`);
    assert.ok(stdout.startsWith('end of list\n/usr/bin/kubeadm\n'), `${what}: ${stdout}`);
    assert.match(stdout, told, what);
  }
  say(
    `${FAULTS.length} faults are told, and nothing is installed: ${FAULTS.map(({ what }) => what).join(', ')}`,
  );
}
