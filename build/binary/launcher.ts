import { getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import { plainReportFlags } from '../../src/agent/cli/options/plain-options.ts';
import { runToExitStatus } from '../../src/agent/cli/process/crash.ts';
import { invocationName } from '../../src/agent/cli/process/invocation-name.ts';
import { versionOutput } from '../../src/agent/cli/process/version.ts';
import { withoutNodeVariables } from '../../src/kit/environment.ts';
import type { AgentScript } from './bundle.ts';

/**
 * The binary's main script. The agent is an asset beside it, with the code cache of an agent that has already worked once: V8's
 * cache for a main script holds only what is compiled before anything ran, and compiling the rest at every start would take
 * longer than reading the user data. Whoever asks for the version does not even pay for that.
 */
const words = process.argv.slice(2);
const isShim = invocationName() === 'kubeadm';
// V8 would write what it counted into the folder that this variable names, so the version too begins anew then.
const isCounted = process.env.NODE_V8_COVERAGE !== undefined;
const answer = isShim || isCounted ? undefined : versionOutput(words);
// It knows only what it was called then, and could neither start nor copy itself.
if (process.platform !== 'win32' && !process.execPath.startsWith('/')) {
  process.stderr.write('slipway: there is no /proc here: mount it, or call slipway by its whole path\n');
  process.exitCode = 2;
} else if (answer !== undefined) {
  runToExitStatus(async () => {
    process.stdout.write(answer);
    return 0;
  });
} else {
  startWithoutSteering();
  // It waits beside the kubelet for minutes: a quarter of the source, and no cache of code that only a bootstrap runs.
  run(!isShim && plainReportFlags(words) ? 'report' : 'slipway');
}

/**
 * Begins anew where variables are set by which whoever sets the environment would turn Node.js. It reads most of them before this
 * line (docs/decisions/hardening.md). Who starts a bootstrap does not say whom the agent trusts.
 */
function startWithoutSteering(): void {
  const own = process.platform === 'win32' ? undefined : withoutNodeVariables(process.env);
  if (own === undefined) return;
  // Or it would write what V8 counted into the folder that NODE_V8_COVERAGE names.
  process.getBuiltinModule('node:v8').stopCoverage();
  process.execve?.(process.execPath, [process.argv0, ...words], own);
}

function run(name: 'slipway' | 'report'): void {
  const source = Buffer.from(getRawAsset(name)).toString('latin1');
  // Only a V8 of the same system could make a cache.
  const cachedData =
    name === 'report' || process.platform === 'win32' ? undefined : Buffer.from(getRawAsset('code-cache'));
  const script = new Script(source, { filename: `${name}.cjs`, ...(cachedData && { cachedData }) });
  (script.runInThisContext() as AgentScript)({}, process.getBuiltinModule, {});
}

// Nothing is left to do or to write then, and taking V8 apart piece by piece would take longer than starting a command.
process.once('beforeExit', () => process.exit());
