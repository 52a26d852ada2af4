import { omitUndefined } from '../../../kit/json.ts';
import { pluralize } from '../../../kit/pluralize.ts';
import type { Document } from '../../document/document.ts';
import type { SystemSettings } from '../../document/system-settings.ts';
import type { StepKind } from '../kind/step-kind.ts';
import type { ImportedKeysSpec } from './access/imported-keys.ts';
import type { RepositoriesSpec } from './software/repositories.ts';

type Settings = Required<SystemSettings>;

/** A kind of step for one member of the document's system settings. */
function ofSystem<Name extends keyof SystemSettings>(
  name: Name,
  how: {
    id: string;
    title: (spec: Settings[Name]) => string;
    details?: (spec: Settings[Name]) => string[];
    preview?: NonNullable<StepKind<Settings[Name]>['preview']>;
    work: StepKind<Settings[Name]>['work'];
  },
): StepKind<Settings[Name]> {
  return {
    name,
    plan({ system }: Document) {
      const spec = system?.[name];
      return spec === undefined
        ? []
        : [{ id: how.id, title: how.title(spec as Settings[Name]), spec: spec as Settings[Name] }];
    },
    ...omitUndefined({ details: how.details, preview: how.preview }),
    work: how.work,
  };
}

export const randomSeed = ofSystem('randomSeed', {
  id: 'random-seed',
  title: () => 'seed the random numbers',
  preview: async (specs, context) =>
    (await import('./local/random-seed.ts')).previewRandomSeed(specs, context),
  work: async () => (await import('./local/random-seed.ts')).seedRandom,
});

export const growPartitions = ofSystem('growPartitions', {
  id: 'growpart',
  title: ({ devices }) => `grow ${pluralize(devices.length, 'partition')}`,
  details: ({ devices }) => devices,
  preview: async (specs, context) =>
    (await import('./disk/grow-partitions.ts')).previewGrowPartitions(specs, context),
  work: async () => (await import('./disk/grow-partitions.ts')).growThePartitions,
});

export const growRoot = ofSystem('growRoot', {
  id: 'resizefs',
  title: () => 'grow the root file system',
  preview: async (specs, context) => (await import('./disk/grow-root.ts')).previewGrowRoot(specs, context),
  work: async () => (await import('./disk/grow-root.ts')).growTheRoot,
});

export const swap = ofSystem('swap', {
  id: 'swap',
  title: ({ file }) => `swap to ${file}`,
  preview: async (specs, context) => (await import('./disk/preview-swap.ts')).previewSwap(specs, context),
  work: async () => (await import('./disk/swap.ts')).setUpSwap,
});

export const hosts = ofSystem('hosts', {
  id: 'hosts',
  title: () => 'write the own name into /etc/hosts',
  details: ({ hostname: { name, fqdn } }) => [fqdn === undefined ? name : `${fqdn} ${name}`],
  work: async () => (await import('./local/hosts.ts')).writeHosts,
});

export const resolver = ofSystem('resolver', {
  id: 'resolv-conf',
  title: () => 'write /etc/resolv.conf',
  details: ({ servers }) => servers,
  work: async () => (await import('./local/resolver.ts')).writeResolver,
});

export const authorities = ofSystem('authorities', {
  id: 'ca-certs',
  title: ({ trusted, replaces }) =>
    `trust ${pluralize(trusted.length, 'certificate')}${replaces ? ' and none of the image' : ''}`,
  work: async () => (await import('./access/authorities.ts')).trustAuthorities,
});

export const hostKeys = ofSystem('hostKeys', {
  id: 'ssh/host-keys',
  title: ({ given, replaces }) =>
    `${replaces ? 'replace' : 'complete'} the host keys${given.length > 0 ? ' by those given' : ''}`,
  details: ({ given, made }) => [...given.map(({ type }) => `${type} as given`), ...made],
  preview: async (specs, context) => (await import('./access/host-keys.ts')).previewHostKeys(specs, context),
  work: async () => (await import('./access/host-keys.ts')).setUpHostKeys,
});

export const loginKeys = ofSystem('loginKeys', {
  id: 'ssh/authorized-keys',
  title: ({ keys, defaultUser }) =>
    `let ${pluralize(keys.length, 'key')} log in${defaultUser === undefined ? '' : ` as ${defaultUser}`}`,
  details: ({ rootOptions }) => [rootOptions === '' ? 'as root too' : 'root is told to come as another'],
  preview: async (specs, context) =>
    (await import('./access/login-keys.ts')).previewLoginKeys(specs, context),
  work: async () => (await import('./access/login-keys.ts')).authorizeKeys,
});

/** The imported keys of all users, and of the default one. */
export const importedKeys: StepKind<ImportedKeysSpec> = {
  name: 'importedKeys',
  plan: ({ users: all, system, fetching, node }: Document) => {
    const own = all.flatMap(({ name, importIds: ids }) => (ids === undefined ? [] : [{ name, ids }]));
    const users = [...own, ...(system?.importedKeys ? [system.importedKeys] : [])];
    if (users.length === 0) return [];
    const proxy = fetching?.proxy ?? node?.proxy;
    const title = `import the SSH keys of ${pluralize(users.length, 'user')}`;
    return [{ id: 'ssh/imported-keys', title, spec: { users, ...(proxy ? { proxy } : {}) } }];
  },
  details: ({ users }) => users.map(({ name, ids }) => `${name}: ${ids.join(' ')}`),
  work: async () => (await import('./access/imported-keys.ts')).importKeys,
};

export const passwords = ofSystem('passwords', {
  id: 'passwords',
  // "password:" before a cause would hide the word behind it, as if it were one.
  title: ({ users }) => `give passwords to ${pluralize(users.length, 'user')}`,
  details: ({ users, expire }) =>
    users.map(({ name }) => `${name}${expire ? ', to be changed at the next login' : ''}`),
  preview: async (specs, context) => (await import('./access/passwords.ts')).previewPasswords(specs, context),
  work: async () => (await import('./access/passwords.ts')).setPasswords,
});

export const passwordLogin = ofSystem('passwordLogin', {
  id: 'ssh/passwords',
  title: ({ allowed }) => `${allowed ? 'allow' : 'forbid'} logins by password over SSH`,
  work: async () => (await import('./access/passwords.ts')).setPasswordLogin,
});

export const keyboard = ofSystem('keyboard', {
  id: 'keyboard',
  title: ({ layout }) => `set the keyboard to ${layout}`,
  work: async () => (await import('./local/locale.ts')).setKeyboard,
});

export const locale = ofSystem('locale', {
  id: 'locale',
  title: ({ name }) => `set the locale to ${name}`,
  work: async () => (await import('./local/locale.ts')).setLocale,
});

export const timezone = ofSystem('timezone', {
  id: 'timezone',
  title: ({ name }) => `set the time zone to ${name}`,
  preview: async (specs, context) => (await import('./local/timezone.ts')).previewTimezone(specs, context),
  work: async () => (await import('./local/timezone.ts')).setTimezone,
});

export const repositories: StepKind<RepositoriesSpec> = {
  name: 'repositories',
  plan: ({ system, fetching, node }: Document) => {
    const settings = system?.repositories;
    if (settings === undefined) return [];
    const { files, archives = [] } = settings;
    const words = [
      files.length > 0 && `write ${pluralize(files.length, 'file')} of package repositories`,
      archives.length > 0 && `add ${pluralize(archives.length, 'package archive')}`,
    ];
    const proxy = files.some(({ key }) => key) ? (fetching?.proxy ?? node?.proxy) : undefined;
    const title = words.filter((each) => each !== false).join(' and ');
    return [{ id: 'repositories', title, spec: { ...settings, ...(proxy ? { proxy } : {}) } }];
  },
  details: ({ files, archives = [] }) => [
    ...files.map(({ path, key }) => (key ? `${path}: key ${key.id} from ${new URL(key.url).host}` : path)),
    ...archives.map(({ name }) => name),
  ],
  preview: async (specs, context) =>
    (await import('./software/repositories.ts')).previewRepositories(specs, context),
  work: async () => (await import('./software/repositories.ts')).writeRepositories,
};

export const packages = ofSystem('packages', {
  id: 'packages',
  title: ({ wanted, upgrade, refresh }) => {
    const done = [
      upgrade && 'upgrade',
      wanted.length > 0 && `install ${pluralize(wanted.length, 'package')}`,
    ];
    const words = done.filter((each) => each !== false);
    return words.length > 0 ? words.join(' and ') : refresh ? 'read the lists of packages anew' : 'nothing';
  },
  details: ({ wanted }) => wanted.map(({ name, version }) => (version ? `${name} ${version}` : name)),
  work: async () => (await import('./software/packages.ts')).installPackages,
});

export const phoneHome = ofSystem('phoneHome', {
  id: 'phone-home',
  title: ({ post }) => `tell a server ${post.join(', ')}`,
  work: async () => (await import('./ending/phone-home.ts')).tellServer,
});

export const finalMessage = ofSystem('finalMessage', {
  id: 'final-message',
  title: () => 'print the final message',
  work: async () => (await import('./ending/final-message.ts')).printMessage,
});
