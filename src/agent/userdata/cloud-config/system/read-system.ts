import type { SystemSettings } from '../../../document/system-settings.ts';
import { importedKeys, passwords } from './access.ts';
import { authorities } from './authorities.ts';
import { growPartitions, growRoot, swap } from './disk.ts';
import { finalMessage, phoneHome, powerState } from './ending.ts';
import { hosts, keyboard, locale, timezone } from './local.ts';
import { packages } from './packages.ts';
import { randomSeed } from './random-seed.ts';
import { repositories } from './repositories.ts';
import { resolver } from './resolver.ts';
import { hostKeys, loginKeys, passwordLogin } from './ssh.ts';
import type { FindKey, ReaderContext, SystemReader } from './system-reader.ts';

/** The keys about the operating system, one reader for each of cloud-init's modules. */
const READERS: readonly SystemReader[] = [
  ...[randomSeed, growPartitions, growRoot, swap, hosts, resolver, authorities],
  ...[
    hostKeys,
    loginKeys,
    importedKeys,
    passwords,
    passwordLogin,
    keyboard,
    locale,
    repositories,
    timezone,
    packages,
  ],
  ...[phoneHome, finalMessage, powerState],
];

/** @returns undefined where no key asks for anything */
export function readSystem(find: FindKey, context: ReaderContext): SystemSettings | undefined {
  const found = READERS.flatMap(({ name, read }) => {
    const settings = read(find, context);
    return settings === undefined ? [] : [[name, settings] as const];
  });
  return found.length === 0 ? undefined : (Object.fromEntries(found) as SystemSettings);
}
