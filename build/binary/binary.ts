import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILDER, distPath, type Platform } from '../platforms.ts';
import { bundlePath, licensesPath } from '../project.ts';
import { baseNode } from './base/base-node.ts';
import { stripBinary } from './base/strip.ts';
import { asFunction, bundle } from './bundle.ts';
import { licensesText, partsOf } from './licenses.ts';
import { AGENT_ARGV, pack, printedVersion } from './pack.ts';
import { warmUp } from './warm-up.ts';

/** Absolute paths of what is built. */
interface Built {
  readonly binary: string;
  readonly bundle: string;
  /** Licence texts of all that is in the binary; it holds them too. */
  readonly licenses: string;
}

/** The files in dist/. */
function builtFor(platform: Platform): Built {
  return { binary: distPath('slipway', platform), bundle: bundlePath, licenses: licensesPath };
}

/**
 * Builds bundle and binary, for linux-x64 and into `dist/` where nothing else is said. They appear by rename, and only after the new binary
 * has run: whoever uses the old one meanwhile keeps it, and a failed build leaves it.
 *
 * @returns what the new binary says of itself.
 */
export async function buildBinary(
  platform: Platform = BUILDER,
  built: Built = builtFor(platform),
): Promise<string> {
  const { path, runner } = baseNode(platform);
  mkdirSync(dirname(built.binary), { recursive: true });
  const scratch = mkdtempSync(join(dirname(built.binary), '.build-'));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const [code, script, report, launcher, base, output, licenses] = [
      'slipway.cjs',
      'slipway',
      'report',
      'launcher.cjs',
      'node',
      'binary',
      'licenses',
    ].map((name) => join(scratch, name)) as [string, string, string, string, string, string, string];
    const agent = await bundle();
    writeFileSync(code, agent.code);
    writeFileSync(script, asFunction(agent.code));
    // A part of the agent, so that its licences are among the agent's.
    writeFileSync(report, asFunction((await bundle({ entry: 'src/slipway-report.ts' })).code));
    writeFileSync(launcher, (await bundle({ entry: 'build/binary/launcher.ts' })).code);
    writeFileSync(licenses, licensesText(partsOf(agent.inputs)));
    stripBinary(path, base);
    const assets = {
      slipway: script,
      report,
      licenses,
      'code-cache': warmUp({ node: base, runner, script }),
    };
    pack({ main: launcher, assets, execArgv: AGENT_ARGV, node: base, runner, output });
    const answer = printedVersion(output, runner);
    renameSync(code, built.bundle);
    renameSync(licenses, built.licenses);
    renameSync(output, built.binary);
    return answer;
  } finally {
    remove();
    process.off('exit', remove);
  }
}
