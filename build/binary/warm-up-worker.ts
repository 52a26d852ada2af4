import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import type { AgentScript } from './bundle.ts';

// Arguments: path of the agent's script, of its code cache, then `make ROOT USER-DATA` or `check`.
const [path = '', cache = '', mode, root = '', userData = ''] = process.argv.slice(2);
const source = readFileSync(path, 'latin1');

if (mode === 'check') {
  const script = new Script(source, { filename: 'slipway.cjs', cachedData: readFileSync(cache) });
  if (script.cachedDataRejected) throw new Error('V8 does not accept the code cache it has made itself');
} else {
  makeCache();
}

/**
 * What V8 does in threads beside or after a while, by chance: throw away what was not called lately, and compile better
 * what was called often. As it was when the cache is written, because a cache serves only a V8 with the same settings.
 */
function leaveNothingToChance(on: boolean): void {
  for (const flag of ['flush-bytecode', 'sparkplug', 'maglev', 'opt'])
    setFlagsFromString(on ? `--no-${flag}` : `--${flag}`);
}

/** A machine with much else to do is slower than this by less. */
const PATIENCE = 100;

/**
 * A machine with much else to do takes seconds for what takes milliseconds elsewhere: it has other words for them, and what is
 * done where something takes too long would be in its cache. So the clock stands still, and every patience is longer.
 */
function stopTheClock(): void {
  const now = process.hrtime();
  process.hrtime = Object.assign(() => now, { bigint: process.hrtime.bigint });
  const { setTimeout } = globalThis;
  const patient = (work: () => void, ms = 0) => setTimeout(work, Math.min(ms * PATIENCE, 2 ** 31 - 1));
  globalThis.setTimeout = Object.assign(patient, setTimeout);
}

/**
 * Runs the command that a boot waits for, and writes the cache when nothing is left to do. Only that one: what others
 * need besides would be read at every boot, and they can wait the few milliseconds that compiling takes.
 */
function makeCache(): void {
  leaveNothingToChance(true);
  stopTheClock();
  const script = new Script(source, { filename: 'slipway.cjs' });
  process.on('exit', () => {
    // It need not succeed: who is not root can give no file to its owner.
    process.exitCode = 0;
    leaveNothingToChance(false);
    writeFileSync(cache, script.createCachedData());
  });
  const data = ['--root', root, '--user-data', userData, '--meta-data', `${userData}-meta`];
  process.argv = [process.execPath, 'slipway', 'bootstrap', ...data];
  (script.runInThisContext() as AgentScript)({}, createRequire(import.meta.url), {});
}
