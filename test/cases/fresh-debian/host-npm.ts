import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { npm } from '../../../build/npm.ts';
import { root } from '../../../build/project.ts';

const NPMRC = '/root/.npmrc';
const AUTHORITIES = '/root/authorities.pem';

/**
 * Lets npm in a root reach its registry as the host's npm does: which registry, with which proxy, account and certificate
 * authorities.
 *
 * @param folder becomes the root
 * @returns the environment that npm needs there
 */
export function npmAsOnHost(folder: string): Record<string, string> {
  const put = (from: string | undefined, to: string): boolean => {
    if (from === undefined || !existsSync(from)) return false;
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    copyFileSync(from, join(folder, to));
    return true;
  };
  put(setting('userconfig'), NPMRC);
  const env: Record<string, string> = {};
  const registry = setting('registry');
  if (registry !== undefined) env.npm_config_registry = registry;
  if (put(setting('cafile') ?? process.env.NODE_EXTRA_CA_CERTS, AUTHORITIES)) {
    env.npm_config_cafile = AUTHORITIES;
    env.NODE_EXTRA_CA_CERTS = AUTHORITIES;
  }
  // What it prints is looked at: no more and no less than npm prints by itself.
  return { ...env, npm_config_loglevel: 'notice' };
}

function setting(name: string): string | undefined {
  const value = npm(['config', 'get', name], root).stdout.trim();
  return ['', 'null', 'undefined'].includes(value) ? undefined : value;
}
