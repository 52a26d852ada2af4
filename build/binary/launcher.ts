import { getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import { plainReportFlags } from '../../src/agent/cli/options/plain-options.ts';
import { calledAs } from '../../src/agent/cli/process/called-as.ts';
import { start } from '../../src/agent/cli/process/crash.ts';
import { versionAnswer } from '../../src/agent/cli/process/version.ts';
import { standard } from '../../src/agent/host/common/system/standard-output.ts';
import { withoutSteering } from '../../src/kit/environment.ts';
import { within } from './aligned.ts';
import { LATER_PART } from './parts/later.ts';

/**
 * The binary's main script. The agent's bundle is an asset beside it, with the code cache of an agent that has already
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
else if (!isShim && plainReportFlags(words)) run('report');
else run('agent', cacheOf('agent'));

// Nothing is left to do or to write then, and taking V8 apart piece by piece would take longer than starting a command.
process.once('beforeExit', () => process.exit());

function run(bundle: 'agent' | 'report', cachedData?: Buffer): void {
  compile(bundle, cachedData)({}, required, {});
}

/** What a bundle requires: modules of Node.js, and the agent what a boot does not need (build/binary/parts). */
function required(name: string): unknown {
  return name === LATER_PART ? compile('later', cacheOf('later')) : process.getBuiltinModule(name);
}

function compile(bundle: string, cachedData?: Buffer): (...words: unknown[]) => void {
  const script = new Script(Buffer.from(getRawAsset(bundle)).toString('latin1'), {
    filename: 'slipway.cjs',
    ...(cachedData ? { cachedData } : {}),
  });
  return script.runInThisContext();
}

/** Only a V8 of the same system could make one. */
function cacheOf(bundle: string): Buffer | undefined {
  return process.platform === 'win32' ? undefined : within(getRawAsset(`${bundle}-cache`));
}
