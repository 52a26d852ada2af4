import type { AuthoritySettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

/** Where a family of distributions has what its programs trust. */
interface TrustStore {
  tool: string;
  /** The directory that the tool reads; cloud-init's names of files, so that a machine never has two. */
  own: string;
  suffix: 'crt' | 'pem';
  /** The list of the image's certificates, in which a leading `!` drops one. */
  list?: string;
  /** Where the image's lie that can only be removed. */
  removed: readonly string[];
}

const STORES: readonly TrustStore[] = [
  {
    tool: 'update-ca-trust',
    own: '/usr/share/pki/ca-trust-source/anchors',
    suffix: 'crt',
    removed: ['/etc/pki/ca-trust', '/usr/share/pki/ca-trust-source'],
  },
  {
    tool: 'rehash_ca_certificates.sh',
    own: '/etc/ssl/certs',
    suffix: 'pem',
    removed: ['/etc/pki/tls/certs'],
  },
];
const DEBIAN: TrustStore = {
  tool: 'update-ca-certificates',
  own: '/usr/local/share/ca-certificates',
  suffix: 'crt',
  list: '/etc/ca-certificates.conf',
  removed: [],
};
const SUSE: TrustStore = {
  tool: 'update-ca-certificates',
  own: '/usr/share/pki/trust/anchors',
  suffix: 'crt',
  removed: [],
};

const HEADER = '# Modified by Slipway: the user data drops the certificates of the image';

/** Makes the whole machine trust certificates of authorities (cloud-init's `cc_ca_certs`). */
export const trustAuthorities: Work<AuthoritySettings> = ({ trusted, replaces }) => ({
  onFailure: 'continue',
  run: ({ host, signal }) =>
    attempt(async () => {
      const store = await storeOf(host);
      if (replaces) await drop(host, store);
      for (const [index, text] of trusted.entries())
        await host.files.write(`${store.own}/cloud-init-ca-cert-${index + 1}.${store.suffix}`, text, {
          mode: 0o644,
        });
      await runTool(host, [store.tool], {
        doing: 'make the certificates known',
        code: 'SystemSettingFailed',
        signal,
      });
      return `${trusted.length} trusted`;
    }),
});

async function storeOf(host: Host): Promise<TrustStore> {
  for (const store of STORES) if (await host.processes.which(store.tool)) return store;
  return (await host.files.stat('/usr/share/pki/trust')) ? SUSE : DEBIAN;
}

/** The program of Debian reads the list; others have but the files. */
async function drop(host: Host, { list, removed }: TrustStore): Promise<void> {
  for (const directory of removed)
    for (const name of await host.files.list(directory)) await host.files.remove(`${directory}/${name}`);
  const text = list && (await host.files.readIfPresent(list))?.toString('utf8');
  if (!list || !text) return;
  const lines = text.replace(/\n$/, '').split('\n');
  const kept = lines.map((line) => (line === '' || /^[#!]/.test(line) ? line : `!${line}`));
  const first = lines.findIndex((line) => line !== '' && !/^[#!]/.test(line));
  if (first !== -1 && !lines.includes(HEADER)) kept.splice(first, 0, HEADER);
  await host.files.write(list, `${kept.join('\n')}\n`);
  if (!(await host.processes.which('debconf-set-selections'))) return;
  await runTool(host, ['debconf-set-selections', '-'], {
    doing: 'keep new certificates of the distribution out',
    code: 'SystemSettingFailed',
    input: 'ca-certificates ca-certificates/trust_new_crts select no',
  });
}
