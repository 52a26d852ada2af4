import assert from 'node:assert/strict';
import type { TestRelease } from '../../support/release/test-release.ts';
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

/** A server with a manner of its own, when it listens. */
function hostile(mode: string, port = 8080): string {
  return `python3 /case/hostile.py ${mode} >/dev/null 2>&1 &
until python3 -c 'import socket; socket.create_connection(("127.0.0.1", ${port}))' 2>/dev/null; do kill -0 $!; sleep 0.2; done`;
}

/** Its certificate is one that the machine trusts. */
const TLS = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=release \\
  -addext subjectAltName=IP:127.0.0.1 -keyout /var/tmp/tls.key -out /var/tmp/tls.crt 2>/dev/null
cat /var/tmp/tls.crt >>/etc/ssl/certs/ca-certificates.crt`;

/** Seconds: then nobody tries any more. */
const WAIT = 5;

/** A server whose SHA256SUMS, or another file, does not come. @param why what curl says of its first try */
function unfetched(
  mode: string,
  { file = 'SHA256SUMS', why = '' }: { file?: string; why?: string } = {},
): Pick<Fault, 'serve' | 'settings' | 'told'> {
  const first = why === '' ? '' : `${file} is not there yet: .*${why} .*`;
  return {
    serve: hostile(mode),
    settings: { wait: WAIT },
    told: new RegExp(
      `${first}${file} cannot be fetched: .*; tried for ${WAIT} s; nothing was installed`,
      's',
    ),
  };
}

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
  { what: 'sums that never end', ...unfetched('endless') },
  { what: 'a program that never ends', ...unfetched('endless-program', { file: 'slipway-linux-x64' }) },
  { what: 'a server that drips', ...unfetched('drip') },
  {
    what: 'a page in the place of the program',
    serve: hostile('html'),
    told: /slipway-linux-x64 is not what was signed; nothing was installed/,
  },
  {
    what: 'a page in the place of everything',
    serve: hostile('portal'),
    told: /SHA256SUMS.minisig is no signature of minisign; nothing was installed/,
  },
  { what: 'a way to a file of the machine', ...unfetched('to-file', { why: 'Protocol "file"' }) },
  { what: 'a way to FTP', ...unfetched('to-ftp', { why: 'Protocol "ftp"' }) },
  {
    what: 'a way from TLS into the clear',
    before: TLS,
    ...unfetched('to-http', { why: 'Protocol "http"' }),
    serve: hostile('to-http', 8443),
    settings: { url: 'https://127.0.0.1:8443', wait: WAIT },
  },
  {
    what: "another one's link in the place of the command",
    before: `useradd -m carol; ln -s /home/carol/kubeadm /usr/local/bin/kubeadm
chmod 1777 /tmp; su carol -c 'touch /tmp/SHA256SUMS /tmp/verify.sh; mkdir /tmp/release'`,
    told: /does not install itself; nothing was installed/,
  },
  {
    what: 'no server at all',
    ...unfetched(''),
    serve: ':',
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

const AT_ONCE = 3;

/** Whatever is wrong is said in one sentence, nothing of Slipway is there, and cloud-init goes on. */
export async function expectRefused(release: TestRelease, say: (line: string) => void): Promise<void> {
  // They wait most of the time, and each has a network of its own.
  const rest = [...FAULTS];
  const lane = async (): Promise<void> => {
    for (let fault = rest.shift(); fault; fault = rest.shift()) await expectTold(fault, release);
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
  const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('\n'));
  say(
    `${FAULTS.length} faults are told, and nothing is installed: ${FAULTS.map(({ what }) => what).join(', ')}`,
  );
}

async function expectTold(
  { what, settings = {}, before = '', serve = SERVE, told }: Fault,
  release: TestRelease,
): Promise<void> {
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
