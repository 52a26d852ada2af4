/** How fields of the document stand in a file, by their path without indexes: `files.content`. */
import { Sensitive } from '../../../secrets/sensitive.ts';
import { nothingAsked } from '../../document/nothing-asked.ts';
import { isSecretReference } from '../../stores/reference/reference.ts';

/** Fields that are `Sensitive`. */
export const SECRET: ReadonlySet<string> = new Set([
  'files.from.url',
  'files.from.headers.value',
  'fetching.proxy.http',
  'fetching.proxy.https',
  'fetching.remoteAuthorities.url',
  'fetching.remoteAuthorities.headers.value',
  'encryptions.key.from.url',
  'encryptions.key.from.headers.value',
  'units.content',
  'units.dropIns.content',
  'bootCommands.shell',
  'bootScripts.shell',
  'commands.shell',
  'commands.args',
  'commands.environment',
  'users.passwordHash',
  'users.initialPasswordHash',
  'users.plainPassword',
  'groups.exact.passwordHash',
  'ntp.own.content',
  'node.proxy.http',
  'node.proxy.https',
  'node.secrets.vault.appRole.secretId',
  'node.secrets.vault.appRole.wrappedSecretId',
  'node.kubeadm.staticPods.content',
  'node.kubeadm.patches.content',
]);

/** Bytes: text where they are one, else base64. */
export const BYTES: ReadonlySet<string> = new Set([
  'files.content',
  'encryptions.key.content',
  'system.randomSeed.data',
]);

/** Permission bits, written in octal. */
export const MODES: ReadonlySet<string> = new Set(['files.mode', 'directories.mode']);

/** Things that keep their place for messages. */
export const POSITIONED: ReadonlySet<string> = new Set([
  'files',
  'directories',
  'links',
  'units',
  'bootCommands',
  'bootScripts',
  'commands',
  'users',
  'ntp',
  'disks',
  'partitionings',
  'arrays',
  'encryptions',
  'volumes',
  'filesystems',
  'mounts',
]);

/** What counts where a field is not there; such values are not written. */
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  '': { ...nothingAsked(), partitionings: [], volumes: [] },
  files: { mode: '0644', owner: 'root:root', append: false, defer: false, content: '' },
  'files.from': { headers: [], isCompressed: false },
  'files.rule': { unsaid: [] },
  directories: { mode: '0755', owner: 'root:root', rule: { present: 'keep', unsaid: [] } },
  'directories.rule': { unsaid: [] },
  links: { hard: false, owner: 'root:root', overwrite: false },
  fetching: { authorities: [] },
  'fetching.proxy': { except: [] },
  'fetching.remoteAuthorities': { headers: [], isCompressed: false },
  units: { dropIns: [] },
  kubeadmUnit: { requires: [], wants: [], after: [] },
  bootCommands: { kind: 'command', program: 'sh' },
  bootScripts: { kind: 'command', program: 'sh' },
  commands: { kind: 'command' },
  groups: { members: [] },
  users: {
    groups: [],
    system: false,
    noCreateHome: false,
    noUserGroup: false,
    lockPassword: true,
    sudo: [],
    sshAuthorizedKeys: [],
  },
  'users.exact': { exists: true, noLogInit: false },
  'groups.exact': { exists: true, system: false },
  ntp: { enabled: true, servers: [], pools: [] },
  disks: { tableType: 'mbr', layout: false, overwrite: false },
  filesystems: { overwrite: false, extraOpts: [] },
  partitionings: { wipe: false, partitions: [] },
  'partitionings.partitions': { number: 0, exists: true, wipe: false, resize: false },
  kernelArguments: { present: [], absent: [] },
  arrays: { spares: 0, options: [] },
  encryptions: { options: [], openOptions: [], discard: false, wipe: false },
  'encryptions.key': { content: '' },
  'encryptions.key.from': { headers: [], isCompressed: false },
  'encryptions.clevis': { asks: [], needsNetwork: false, isTried: false },
  volumes: { options: [], wipe: false },
  'volumes.mount': { options: [] },
  preflight: { mend: false },
  'node.kernel': { modules: [], sysctls: {} },
  'node.proxy': { except: [] },
  'node.containerd': { registries: [] },
  'node.containerd.registries': { skipVerify: false, mirrors: [] },
  'node.containerd.registries.mirrors': {
    skipVerify: false,
    overridePath: false,
    capabilities: ['pull', 'resolve'],
  },
  'node.kubeadm': { staticPods: [], patches: [] },
  'node.secrets.vault.appRole': { mount: 'approle' },
  'node.secrets.vault.certificate': { mount: 'cert' },
};

/** Defaults of a command depend on its kind, the mode of a file on whether it is a secret. */
export function defaultsOf(
  path: string,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (path === 'files' && isSecretReference(addressOf(given.from)))
    return { ...DEFAULTS.files, mode: '0600' };
  if (path !== 'commands') return DEFAULTS[path] ?? {};
  return given.kind === 'kubeadm' ? { args: [] } : { kind: 'command', program: 'sh' };
}

function addressOf(from: unknown): string {
  const url = typeof from === 'object' && from !== null && 'url' in from ? from.url : '';
  return String(url instanceof Sensitive ? url.reveal() : url);
}
