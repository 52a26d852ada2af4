import { basename } from 'node:path';
import { getRawAsset } from 'node:sea';
import { Script } from 'node:vm';
import { versionAnswer } from '../src/agent/cli/version.ts';

/**
 * The binary's main script. The agent's bundle is an asset beside it, with the code cache of an agent that has already
 * worked once: V8's cache for a main script holds only what is compiled before anything ran, and compiling the rest at
 * every start would take longer than reading the user data. Whoever asks for the version does not even pay for that.
 */
const answer = basename(process.argv0) === 'kubeadm' ? undefined : versionAnswer(process.argv.slice(2));
if (answer === undefined) startAgent();
else process.stdout.write(answer);

// Nothing is left to do or to write then, and taking V8 apart piece by piece would take longer than starting a command.
process.once('beforeExit', () => process.exit());

function startAgent(): void {
  const script = new Script(Buffer.from(getRawAsset('agent')).toString('latin1'), {
    filename: 'slipway.cjs',
    cachedData: Buffer.from(getRawAsset('agent-cache')),
  });
  script.runInThisContext()({}, process.getBuiltinModule, {});
}
