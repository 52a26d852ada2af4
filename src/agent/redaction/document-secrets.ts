import type { Command, Document, RemoteContent, UserEntry } from '../document/document.ts';
import type { SecretSettings } from '../document/node-settings.ts';
import type { SystemSettings } from '../document/system-settings.ts';
import type { Host } from '../host/host.ts';
import { secretsIn } from './secrets.ts';

/** Larger files hold data, not settings. */
const MOST_BYTES = 1024 * 1024;
const SHORTEST = 6;
/** What stands alone in a file that only its owner may read. */
const WHOLE_SECRET = /^\S{8,512}$/;
/** The same in a file with more lines, such as a list of tokens. */
const SECRET_LINE = /^[\w+/.=~-]{20,512}$/;
const NOT_OF_THE_OWNER = 0o077;
/** Where a shell's word ends; a value that was read up to the end of a line holds more. */
const END_OF_WORD = /["'`;&|()<>\s]/;
/** `name:password`, as chpasswd and curl take it. */
const NAMED = /(?<![\w.-])[\w.-]+:([^\s"'`|;&<>\\]+)/g;
const TAKES_NAMED = /\bchpasswd\b|\s(?:-u|--user|--proxy-user)[\s=]/;

type Told = Partial<
  Pick<
    Document,
    | 'users'
    | 'files'
    | 'encryptions'
    | 'asked'
    | 'bootCommands'
    | 'bootScripts'
    | 'commands'
    | 'units'
    | 'node'
    | 'system'
    | 'network'
    | 'ignored'
  >
>;

/**
 * The secrets that user data holds, so that they can be cut out of whatever a program prints: passwords and their hashes,
 * settings of files and commands whose name means a secret, files that are one.
 */
export function documentSecrets({
  users = [],
  files = [],
  encryptions = [],
  asked = [],
  bootCommands = [],
  bootScripts = [],
  commands = [],
  units = [],
  node,
  system,
  network,
  ignored,
}: Told): string[] {
  const found = [
    ...users.flatMap(ofUser),
    ...files.flatMap(({ content, mode }) => ofFile(content.reveal(), mode)),
    ...encryptions.flatMap(({ key }) => (key ? ofFile(key.content.reveal(), 0o600) : [])),
    ...[...files.map(({ from }) => from), ...encryptions.map(({ key }) => key?.from), ...asked].flatMap(
      ofAddress,
    ),
    ...ofStores(node?.secrets),
    ...[...bootCommands, ...bootScripts, ...commands].flatMap((entry) =>
      entry.kind === 'command'
        ? ofCommand(entry)
        : secretsIn([...(entry.environment?.reveal() ?? []), ...entry.args.reveal()].join('\n')),
    ),
    ...units
      .flatMap(({ content, dropIns }) => [content, ...dropIns.map((dropIn) => dropIn.content)])
      .flatMap((content) => secretsIn(content?.reveal() ?? '')),
    ...ofSystem(system),
    ...ofNetwork(network?.netplan?.reveal()),
    ...secretsIn(ignored?.reveal() ?? ''),
    ...[node?.proxy?.http, node?.proxy?.https].flatMap((url) => secretsIn(url?.reveal() ?? '')),
    ...[...(node?.kubeadm?.staticPods ?? []), ...(node?.kubeadm?.patches ?? [])].flatMap(({ content }) =>
      secretsIn(content.reveal()),
    ),
  ];
  return [...new Set(found.filter((secret) => secret.length >= SHORTEST))];
}

function ofSystem({ passwords, hostKeys, repositories, phoneHome }: SystemSettings = {}): string[] {
  return [
    ...(passwords?.users ?? []).flatMap(({ password }) => password?.reveal() ?? []),
    ...(hostKeys?.given ?? []).flatMap(({ privateKey }) => secretsIn(privateKey?.reveal() ?? '')),
    ...(repositories?.files ?? []).flatMap(({ content }) => secretsIn(content.reveal())),
    ...secretsIn(phoneHome?.url.reveal() ?? ''),
  ];
}

/** Keys of netplan's configuration whose value is a secret: of radios, of 802.1X, of tunnels. */
const OF_NETWORKS = /^(?:password|client-key-password|sae-password|psk|key|private|shared|pin)$/;

function ofNetwork(json: string | undefined): string[] {
  const found: string[] = [];
  if (json === undefined) return found;
  JSON.parse(json, (key, value: unknown) => {
    if (typeof value === 'string' && OF_NETWORKS.test(key)) found.push(value);
    return value;
  });
  return found;
}

function ofUser({ plainPassword, passwordHash, initialPasswordHash }: UserEntry): string[] {
  return [plainPassword, passwordHash, initialPasswordHash].flatMap((secret) => secret?.reveal() ?? []);
}

/** What is secret in a file that was a secret as a whole: one line is one, of a longer one that which looks like it. */
export function secretsOfContent(content: Uint8Array): string[] {
  if (content.length > MOST_BYTES || content.includes(0)) return [];
  const text = Buffer.from(content).toString('utf8').trim();
  return [...(text.includes('\n') ? [] : [text]), ...ofFile(content, 0o600)];
}

/** Tokens in the addresses of contents, and in what they are asked with. */
function ofAddress(from: RemoteContent | undefined): string[] {
  const address = from?.url.reveal() ?? '';
  const query = URL.canParse(address) ? new URL(address).searchParams.get('token') : undefined;
  return [
    ...secretsIn(address),
    ...(query ? [query] : []),
    ...(from?.headers ?? []).map(({ value }) => value.reveal()),
  ];
}

function ofStores({ vault }: SecretSettings = {}): string[] {
  const { secretId, wrappedSecretId } = vault?.appRole ?? {};
  return [secretId, wrappedSecretId].flatMap((secret) => secret?.reveal() ?? []);
}

function ofFile(content: Uint8Array, mode: number): string[] {
  if (content.length > MOST_BYTES || content.includes(0)) return [];
  const text = Buffer.from(content).toString('utf8');
  const whole = text.trim();
  const isOwners = (mode & NOT_OF_THE_OWNER) === 0;
  const isSecret = isOwners && WHOLE_SECRET.test(whole);
  const found = new Set(secretsIn(text));
  if (isSecret) found.add(whole);
  // Those of a private key are among them already.
  else if (isOwners)
    for (const line of whole.split('\n')) if (!found.has(line) && isSecretLine(line)) found.add(line);
  return [...found];
}

/** A line that no word of a language fills. */
function isSecretLine(line: string): boolean {
  return SECRET_LINE.test(line) && /\d/.test(line) && /[a-z]/i.test(line);
}

function ofCommand({ shell }: Command): string[] {
  const text = shell.reveal();
  const named = text
    .split('\n')
    .filter((line) => (line.includes('chpasswd') || line.includes('-u')) && TAKES_NAMED.test(line))
    .flatMap((line) => [...line.matchAll(NAMED)].map(([, password = '']) => password));
  return [...named, ...secretsIn(text).flatMap((secret) => [secret, secret.split(END_OF_WORD, 1)[0] ?? ''])];
}

/** The same, and what kubeadm's configuration holds where the machine has it already. */
export async function knownSecrets(host: Host, document: Told): Promise<string[]> {
  const found = documentSecrets(document);
  for (const command of document.commands ?? []) {
    if (command.kind !== 'kubeadm' || command.configPath === undefined) continue;
    const bytes = await host.files.readIfPresent(command.configPath, MOST_BYTES).catch(() => undefined);
    for (const secret of secretsIn(bytes?.toString('utf8') ?? '')) found.push(secret);
  }
  return found;
}
