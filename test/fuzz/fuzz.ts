import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { keepFinding } from './report.ts';
import { runSession } from './session.ts';
import { TARGETS, targetNamed } from './targets/all.ts';

// npm run fuzz -- [TARGET...] [--seconds N] [--seed S] [--replay FILE]

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string' },
      replay: { type: 'string' },
    },
  });
  const seed = values.seed ?? randomBytes(6).toString('hex');
  const targets = (positionals.length > 0 ? positionals.map(targetNamed) : TARGETS).map(({ name }) => name);
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new Error('--seconds takes a number above 0');
  if (values.replay !== undefined && targets.length !== 1)
    throw new Error('--replay needs the one target that it is for');
  const input =
    values.replay === undefined
      ? { ms: (seconds * 1000) / targets.length }
      : { bytes: readFileSync(values.replay) };
  console.log(`seed ${seed}; ${targets.length} targets`);
  const findings = await runSession({
    ...{ targets, seed, ...input },
    done: (target, runs) => console.log(`  ${target}: ${runs} inputs`),
    found: (finding) => console.log(keepFinding(finding)),
  });
  console.log(findings.length === 0 ? 'nothing found' : `${findings.length} found`);
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`fuzz: ${error instanceof Error ? error.message : String(error)}`);
  return 2;
});
