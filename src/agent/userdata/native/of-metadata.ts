import type { Document, Hostname } from '../../document/document.ts';
import type { SaidLogin, SystemSettings } from '../../document/system-settings.ts';
import type { Instance } from '../../platform/instance/instance.ts';
import { REDIRECT_OPTIONS, redirectOptions } from '../cloud-config/accounts/redirected-login.ts';
import { completeName } from '../instance/hostname.ts';
import { completeLogin, keysOfSource } from '../instance/public-keys.ts';

/**
 * The document with what the metadata says beside it: the name of the machine, wherever it stands, and public keys. /etc/hosts and
 * messages have the name even where the machine keeps its own.
 */
export function withMetadata(document: Document, instance: Pick<Instance, 'cloud' | 'metaData'>): Document {
  const { hostname: _, system, ...rest } = document;
  const { saidName = {}, saidLogin, keepsName, report } = document;
  const name = completeName(saidName, instance.metaData);
  const login = saidLogin && completeLogin(saidLogin, keysOfSource(instance, saidLogin.defaultUser));
  const settings = { ...nameFilledIn(system, name), ...(login ? { loginKeys: login } : {}) };
  const isNameless = system?.hosts !== undefined && name === undefined;
  return {
    ...rest,
    ...(Object.keys(settings).length === 0 ? {} : { system: settings }),
    ...(name === undefined || keepsName ? {} : { hostname: name }),
    ...(isNameless ? { report: [...report, NAMELESS] } : {}),
  };
}

const NAMELESS = {
  severity: 'warning',
  code: 'UserDataIgnoredKey',
  message: 'system.hosts has no effect: neither user data nor metadata sets a hostname.',
} as const;

function nameFilledIn(
  { hosts, phoneHome, ...rest }: SystemSettings = {},
  name: Hostname | undefined,
): SystemSettings {
  const hostname = name === undefined ? {} : { hostname: name };
  return {
    ...rest,
    ...(hosts === undefined || name === undefined ? {} : { hosts: { ...hosts, hostname: name } }),
    ...(phoneHome === undefined ? {} : { phoneHome: { ...phoneHome, ...hostname } }),
  };
}

/** What is filled in when the document is read is left out: the machine's name, and keys of the metadata. */
export function withoutMetadata(document: Document): object {
  const { system, saidLogin } = document;
  const { hosts, phoneHome, loginKeys, ...rest } = system ?? {};
  const login = saidLogin?.fromMetadata ? saidLogin : loginKeys;
  const settings = {
    ...rest,
    ...(hosts === undefined ? {} : { hosts: nameless(hosts) }),
    ...(phoneHome === undefined ? {} : { phoneHome: nameless(phoneHome) }),
    ...(login === undefined ? {} : { loginKeys: brief(login) }),
  };
  const { system: _, ...others } = document;
  return Object.keys(settings).length === 0 ? others : { ...others, system: settings };
}

/** `system.loginKeys` as it stands in the document, whole. */
export function asLogin({ keys = [], defaultUser, rootOptions, ...more }: Partial<SaidLogin>): SaidLogin {
  return {
    ...more,
    keys,
    ...(defaultUser === undefined ? {} : { defaultUser }),
    rootOptions: rootOptions ?? usual(defaultUser),
  };
}

function brief({ keys, rootOptions, ...login }: SaidLogin) {
  return {
    ...login,
    ...(keys.length === 0 ? {} : { keys }),
    ...(rootOptions === usual(login.defaultUser) ? {} : { rootOptions }),
  };
}

/** What stands before root's keys where the user data says nothing of it. */
function usual(defaultUser: string | undefined): string {
  return redirectOptions(REDIRECT_OPTIONS, 'root', defaultUser ?? 'NONE');
}

function nameless<Settings extends { hostname?: unknown }>({ hostname: _, ...rest }: Settings) {
  return rest;
}
