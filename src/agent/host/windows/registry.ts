import { childProcess } from '../common/system/late-modules.ts';
import { systemProgram } from './paths.ts';

/** A value of the registry that is one word, as reg.exe prints it; undefined where there is none. */
export function registryValue(key: string, name: string): string | undefined {
  const { stdout } = childProcess().spawnSync(systemProgram('reg.exe'), ['query', key, '/v', name], {
    encoding: 'utf8',
    windowsHide: true,
    timeout: 10_000,
  });
  return /REG_\w+\s+(\S+)/.exec(stdout ?? '')?.[1];
}
