import { getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import { plainReportFlags } from '../../src/agent/cli/options/plain-options.ts';
import { calledAs } from '../../src/agent/cli/process/called-as.ts';
import { start } from '../../src/agent/cli/process/crash.ts';
import { versionAnswer } from '../../src/agent/cli/process/version.ts';
import { standard } from '../../src/agent/host/common/system/standard-output.ts';
import { withoutSteering } from '../../src/kit/environment.ts';
import { within } from './aligned.ts';
import { type Part, type PartName, runParts } from './parts/linker.ts';

/**
 * The binary's main script. The agent's parts are assets beside it, with the code cache of an agent that has already
 * worked once: V8's cache for a main script holds only what is compiled before anything ran, and compiling the rest at
 * every start would take longer than reading the user data. Whoever asks for the version does not even pay for that.
 */
const words = process.argv.slice(2);
// It knows only what it was called then, and could neither start nor copy itself.
if (process.platform !== 'win32' && !process.execPath.startsWith('/')) {
  process.stderr.write('slipway: there is no /proc here: mount it, or call slipway by its whole path\n');
  process.exit(2);
}
// Some of it has had its effect before this line; who starts a bootstrap does not say whom the agent trusts.
const own = withoutSteering(process.env);
if (own !== undefined && process.platform !== 'win32') {
  // Or it would write what V8 counted into the folder that NODE_V8_COVERAGE names.
  process.getBuiltinModule('node:v8').stopCoverage();
  process.execve?.(process.execPath, [process.argv0, ...words], own);
}
const isShim = calledAs() === 'kubeadm';
const answer = isShim ? undefined : versionAnswer(words);
if (answer !== undefined)
  start(async () => {
    standard.stdout.write(answer);
    return 0;
  });
// It waits beside the kubelet for minutes: a quarter of the source, and no cache of code that only a bootstrap runs.
else if (!isShim && plainReportFlags(words))
  compile<(exports: object, require: typeof process.getBuiltinModule, module: object) => void>('report')(
    {},
    process.getBuiltinModule,
    {},
  );
else runParts(readPart);

// Nothing is left to do or to write then, and taking V8 apart piece by piece would take longer than starting a command.
process.once('beforeExit', () => process.exit());

function readPart(part: PartName): Part {
  return compile(part, cacheOf(part));
}

function compile<T>(script: string, cachedData?: Buffer): T {
  return new Script(Buffer.from(getRawAsset(script)).toString('latin1'), {
    filename: 'slipway.cjs',
    ...(cachedData ? { cachedData } : {}),
  }).runInThisContext();
}

/** Only a V8 of the same system could make one. */
function cacheOf(part: PartName): Buffer | undefined {
  return process.platform === 'win32' ? undefined : within(getRawAsset(`${part}-cache`));
}
