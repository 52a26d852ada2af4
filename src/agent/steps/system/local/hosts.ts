import type { Hostname } from '../../../document/document.ts';
import type { HostsSettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

const FILE = '/etc/hosts';
const TEMPLATES = '/etc/cloud/templates';
/** cloud-init's address for the own name on Debian; others have it at 127.0.0.1. */
const OWN = '127.0.1.1';

/** Writes the own name into /etc/hosts, at every boot as cloud-init does (`cc_update_etc_hosts`). */
export const writeHosts: Work<HostsSettings> = ({ how, hostname }) => ({
  when: 'every-boot',
  onFailure: 'continue',
  run: ({ host }) =>
    attempt(async () => {
      const { name, fqdn = name } = hostname;
      const present = (await host.files.readIfPresent(FILE))?.toString('utf8') ?? '';
      const isDebian = (await host.files.stat('/etc/debian_version')) !== undefined;
      const wanted =
        how === 'entry'
          ? withEntry(present, isDebian ? OWN : '127.0.0.1', { name, fqdn })
          : (fromTemplate(await template(host), { name, fqdn }) ?? whole(isDebian, { name, fqdn }));
      if (wanted === present) return 'as it was';
      await host.files.write(FILE, wanted);
      return fqdn;
    }),
});

/** The image's own template, where it has cloud-init's. */
async function template(host: Host): Promise<string | undefined> {
  const names = (await host.files.list(TEMPLATES)).filter((name) => /^hosts\.\w+\.tmpl$/.test(name));
  const isDebian = (await host.files.stat('/etc/debian_version')) !== undefined;
  const wanted =
    names.length === 1
      ? names[0]
      : names.find((name) => name === `hosts.${isDebian ? 'debian' : 'redhat'}.tmpl`);
  return wanted && (await host.files.readIfPresent(`${TEMPLATES}/${wanted}`))?.toString('utf8');
}

/** Fills in the two names; a template that says more than them is not taken. */
function fromTemplate(
  text: string | undefined,
  { name, fqdn }: Required<Pick<Hostname, 'name' | 'fqdn'>>,
): string | undefined {
  const body = /^## template: ?jinja\n([\s\S]*)$/.exec(text ?? '')?.[1];
  if (body === undefined) return undefined;
  // A minus at a comment's end takes the white space behind it, one at its beginning the space before it.
  const plain = body
    .replace(/\s*\{#-[\s\S]*?#\}/g, (whole) => (whole.endsWith('-#}') ? whole : ''))
    .replace(/\{#[\s\S]*?-#\}\s*/g, '')
    .replace(/\{#[\s\S]*?#\}\n?/g, '');
  const filled = plain.replace(/\{\{\s*hostname\s*\}\}/g, name).replace(/\{\{\s*fqdn\s*\}\}/g, fqdn);
  return /\{[{%#]/.test(filled) ? undefined : filled;
}

function whole(isDebian: boolean, { name, fqdn }: Required<Pick<Hostname, 'name' | 'fqdn'>>): string {
  const lines = isDebian
    ? [`${OWN} ${fqdn} ${name}`, '127.0.0.1 localhost', '', '::1 localhost ip6-localhost ip6-loopback']
    : [`127.0.0.1 ${fqdn} ${name}`, '127.0.0.1 localhost.localdomain localhost', '', `::1 ${fqdn} ${name}`];
  return [
    '# Made by Slipway at every boot, because the user data says manage_etc_hosts',
    ...lines,
    isDebian ? 'ff02::1 ip6-allnodes' : '::1 localhost.localdomain localhost',
    ...(isDebian ? ['ff02::2 ip6-allrouters'] : []),
    '',
  ].join('\n');
}

/** The text with one line that gives `address` the two names. */
function withEntry(
  text: string,
  address: string,
  { name, fqdn }: Required<Pick<Hostname, 'name' | 'fqdn'>>,
): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const named = lines.map((line) => line.replace(/#.*/, '').trim().split(/\s+/));
  const isThere = named.some(
    ([first, second, ...aliases]) => first === address && second === fqdn && aliases.includes(name),
  );
  if (isThere) return text;
  return `${[...lines, `${address}\t${fqdn}\t${name}`].join('\n')}\n`;
}
