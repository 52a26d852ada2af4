import type { Document } from '../../../../src/agent/document/document.ts';
import type { Host } from '../../../../src/agent/host/host.ts';
import { mkfsCommand } from '../../../../src/agent/steps/storage/mkfs-command.ts';
import { keyFromServer } from '../../../../src/agent/steps/system/software/server-key.ts';
import { StepError } from '../../../../src/agent/tools/step-error.ts';
import { readDocument } from '../../../../src/agent/userdata/fixtures/read-document.ts';
import { texts } from '../../corpus.ts';
import { memoryHost } from '../../memory-host.ts';
import { must, type Target } from '../../target.ts';

/** A cloud-config of this value; undefined where it is refused. */
function accepted(value: Record<string, unknown>): Document | undefined {
  // YAML has line ends of its own among what JSON writes as it is.
  const text = JSON.stringify(value).replace(
    /[^ -~]/gu,
    (found) => `\\U${(found.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
  );
  const document = readDocument(Buffer.from(`#cloud-config\n${text}\n`), { source: 'fuzz', metaData: {} });
  return document.report.some(({ severity }) => severity === 'error') ? undefined : document;
}

const PLACE = '/dev/place';
const LABEL = 'la%bel';

/** What Python makes of `text % {...}`; undefined where it raises, or where its other conversions would do. */
function asPython(text: string): string | undefined {
  const values: Record<string, string> = { device: PLACE, label: LABEL, filesystem: 'ext4' };
  let made = '';
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '%') made += text[at];
    else if (text[at + 1] === '%') {
      made += '%';
      at += 1;
    } else {
      const end = text.indexOf(')s', at);
      const value = text[at + 1] === '(' && end > 0 ? values[text.slice(at + 2, end)] : undefined;
      if (value === undefined) return undefined;
      made += value;
      at = end + 1;
    }
  }
  return made;
}

/** fs_setup's own command: what runs is what Python would have made of it. */
export const fsCommands: Target = {
  name: 'fs-commands',
  corpus: () =>
    texts('mkfs -t %(filesystem)s -L %(label)s -m 5%% %(device)s', 'a %%(device)s', '%%%(label)s%'),
  dictionary: ['%(device)s', '%(label)s', '%(filesystem)s', '%%', '%', '%s', '(', ')s', '%(', '\n', "'"],
  async run(bytes) {
    const cmd = bytes.toString('utf8');
    const entry = { device: '/dev/b', filesystem: 'ext4', label: LABEL, partition: 'none', cmd };
    const [found] = accepted({ fs_setup: [entry] })?.filesystems ?? [];
    if (found === undefined) return 'refused';
    const made = (await mkfsCommand(memoryHost({}), found, PLACE)) ?? [];
    must(made.length === 3 && made[0] === '/bin/sh' && made[1] === '-c', 'a line is for the shell');
    must(made[2] === asPython(cmd), 'what runs is what Python makes of it');
    return made;
  },
};

/** A key's id and server: nobody but that server is asked, and for that key alone. */
export const aptKeys: Target = {
  name: 'apt-keys',
  corpus: () =>
    texts(
      '0xA1B2C3D4E5F60718 keyserver.example',
      'A1B2 C3D4 E5F6 0718 A1B2 C3D4 E5F6 0718 A1B2 C3D4\nhkps://keys.example:443/',
      '01234567\nhkp://[2001:db8::1]',
      '01234567\nhttp://user:pw@h/path?x#y',
    ),
  dictionary: [
    'hkp://',
    'hkps://',
    'http://',
    'https://',
    ':11371',
    '@',
    '#',
    '?',
    '/..',
    '\\',
    '0x',
    '\n',
    '[::1]',
  ],
  run(bytes) {
    const [keyid = '', keyserver] = bytes.toString('utf8').split('\n');
    const source = { keyid, source: 'deb x', ...(keyserver === undefined ? {} : { keyserver }) };
    const file = accepted({ apt: { sources: { own: source } } })?.system?.repositories?.files[0];
    if (file?.key === undefined) return 'refused';
    const { id, url } = file.key;
    must(/^(?:[0-9A-F]{8}|[0-9A-F]{16}|[0-9A-F]{40})$/.test(id), 'an id is one of a key');
    const { protocol, username, password, hash, search, pathname } = new URL(url);
    must(protocol === 'https:' || protocol === 'http:', 'it is asked over http');
    must(username + password + hash === '', 'nothing else comes along');
    must(pathname.endsWith('/pks/lookup') && search === `?op=get&options=mr&search=0x${id}`, 'for that key');
    return [id, url];
  },
};

const ID = 'A1B2C3D4E5F60718';

/** What gpg lists of what a server gave: only a key of that id comes out. */
export const keyListings: Target = {
  name: 'key-listings',
  corpus: () =>
    texts(
      `pub:u:255:22:0:0:::u:::scESC::::::23::0:\nfpr:::::::::AAAA${ID}:\nuid:u::::0::X::me::::::::::0:\nsub:u:255:22:0:0:::::s::::::23:\nfpr:::::::::BBBB:\n`,
      `pub:\nfpr:::::::::CCCC:\nsub:\nfpr:::::::::DDDD${ID}:\npub:\nfpr:::::::::EEEE${ID}:\n`,
    ),
  dictionary: ['pub:', 'sub:', 'fpr:::::::::', 'sec:', 'uid:', ID, ':\n', '-----BEGIN', '--output'],
  async run(bytes) {
    const listing = bytes.toString('latin1');
    const exported: string[] = [];
    const host: Host = {
      ...memoryHost({}, () => ({ status: 200, body: 'key' })),
      processes: {
        run: async ({ argv }: { argv: readonly string[] }) => {
          if (argv.includes('--export')) exported.push(argv.at(-1) ?? '');
          const stdout = argv.includes('--list-keys') ? listing : '';
          return { exitStatus: 0, stdout, stderr: '', timedOut: false, signal: null };
        },
      } as unknown as Host['processes'],
    };
    const key = { id: ID, url: 'https://keys.example/pks/lookup?op=get' };
    const signal = new AbortController().signal;
    const outcome = await keyFromServer(host, key, undefined, signal).catch((error: unknown) => {
      if (error instanceof StepError) return error.code;
      throw error;
    });
    const [owner] = exported;
    must(exported.length < 2 && (owner === undefined || listing.includes(owner)), 'one of the keys there');
    must(owner === undefined || listing.includes(`${ID}:`) || listing.includes(ID), 'that has this id');
    return [outcome, exported];
  },
};

/** A time service of the author's own: a template is rendered or refused, and names stay names. */
export const timeServices: Target = {
  name: 'time-services',
  corpus: () =>
    texts(
      '## template: jinja\n{% for a in servers + pools -%}\nserver {{ a }}\n{% endfor %}',
      '##template:basic\nserver x',
      'own',
      '/etc/own.conf',
    ),
  dictionary: [
    '## template:',
    'jinja',
    'basic',
    '{{ peers }}',
    '{% do x %}',
    '$servers',
    '$pools',
    '/..',
    '--',
  ],
  run(bytes) {
    const text = bytes.toString('utf8');
    // Each input is a document five times over: only the template is read at full length, for the limit of time.
    const word = text.slice(0, 65_536);
    const whole = { confpath: '/etc/a', check_exe: 'a', packages: ['a'], service_name: 'a', template: 'a' };
    return Object.keys(whole).map((name) => {
      const config = { ...whole, [name]: name === 'packages' ? [word] : name === 'template' ? text : word };
      const own = accepted({ ntp: { ntp_client: 'own', servers: ['s.example'], config } })?.ntp?.own;
      if (own === undefined) return 'refused';
      must(own.path?.startsWith('/') === true, 'its place is a path');
      for (const word of [own.program, own.unit, ...(own.packages ?? [])])
        must(word !== undefined && !/^-|\s|\0/.test(word), 'no word is an option');
      return [own.path, own.program, own.packages, own.unit, own.content?.reveal()];
    });
  },
};
