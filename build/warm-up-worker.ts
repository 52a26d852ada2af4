import { readFileSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';

// Arguments: path of the wrapped bundle, path of the cache, then `make ROOT USER-DATA` or `check`.
const [agent = '', cache = '', mode, root = '', userData = ''] = process.argv.slice(2);
const source = readFileSync(agent, 'latin1');

if (mode === 'check') {
  const script = new Script(source, { filename: 'slipway.cjs', cachedData: readFileSync(cache) });
  if (script.cachedDataRejected) throw new Error('V8 does not accept the code cache it has made itself');
} else {
  makeCache();
}

/** Runs one command after the other, each when the one before has nothing left to do, and writes the cache. */
function makeCache(): void {
  const script = new Script(source, { filename: 'slipway.cjs' });
  const data = ['--root', root, '--user-data', userData];
  const commands = [
    ['plan', ...data],
    ['bootstrap', ...data],
    ['status', '--root', root],
  ];
  process.on('beforeExit', () => {
    const words = commands.shift();
    if (!words) return;
    process.argv = [process.execPath, 'slipway', ...words];
    script.runInThisContext()({}, process.getBuiltinModule, {});
    // A command that waits for nothing would not keep the process until it is asked again.
    setImmediate(() => undefined);
  });
  process.on('exit', () => {
    // The commands need not succeed: an empty folder has no shell to run anything with.
    process.exitCode = commands.length;
    writeFileSync(cache, script.createCachedData());
  });
  process.stderr.write = () => true;
}
