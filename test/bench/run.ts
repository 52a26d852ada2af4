import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { projectCommit, projectVersion } from '../../build/project.ts';
import { withoutNodeVariables } from '../../src/kit/environment.ts';
import { LabError } from '../lab/process/command.ts';
import { BenchError } from './measure/measure.ts';
import { asJson, asText, type Entry } from './report.ts';
import type { Row, RowOptions } from './row.ts';
import { apply } from './rows/apply.ts';
import { boot } from './rows/boot.ts';
import { checkin } from './rows/checkin.ts';
import { controlPlanes } from './rows/control-planes.ts';
import { fleet } from './rows/fleet.ts';
import { hostile } from './rows/hostile.ts';
import { identity } from './rows/identity.ts';
import { idle } from './rows/idle.ts';
import { join } from './rows/join.ts';
import { report } from './rows/report.ts';
import { reporter } from './rows/reporter.ts';
import { scale } from './rows/scale.ts';
import { size } from './rows/size.ts';
import { version } from './rows/version.ts';
import { acceptSizes, grownSizes } from './size-baseline.ts';

const ROWS: Readonly<Record<string, Row>> = {
  ...{ version, apply, size, reporter, report, fleet, hostile, identity, checkin, join, boot, scale, idle },
  'control-planes': controlPlanes,
};
/** All others take minutes and all of the machine: only when asked for by name. */
const BY_DEFAULT = ['version', 'apply', 'size'];

const USAGE = `npm run bench [-- [${Object.keys(ROWS).join('|')}]... [--runs N] [--json] [--gate] [--accept]]
  --runs N   runs of each contender instead of the row's own number; of report, fleet, hostile, identity, checkin and scale, machines
  Without a name: ${BY_DEFAULT.join(', ')}; all others take minutes and run only when they are named
  --json     for programs
  --gate     exit status 1 when a size is more than 5 % over the accepted one (test/bench/size-baseline.json)
  --accept   note the present sizes as accepted`;

/**
 * `npm run bench`: measures the rows that were asked for, all by default, and prints them.
 *
 * @returns 0; 1 when a gate is closed or a row that was asked for by name cannot be measured
 * @throws Error with the usage for bad arguments
 */
export async function runBench(argv: string[]): Promise<number> {
  withoutSteeringHere();
  const { names, runs, json, gate, accept, help } = readArguments(argv);
  if (help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const about = {
    slipway: projectVersion(),
    commit: projectCommit(),
    node: process.version,
    cpus: cpus().length,
    load: loadavg()[0],
  };
  const say = (line: string): void => void process.stderr.write(`bench: ${line}\n`);
  const entries: Entry[] = [];
  for (const name of names.length > 0 ? names : BY_DEFAULT) {
    entries.push(await measureRow(name, { say, ...(runs === undefined ? {} : { runs }) }));
  }
  process.stdout.write(`${json ? asJson(entries, about) : asText(entries)}\n`);
  const grown = checkSizes(entries, { gate, accept });
  for (const sentence of grown) say(sentence);
  return grown.length > 0 || entries.some((entry) => names.includes(entry.name) && 'missing' in entry)
    ? 1
    : 0;
}

async function measureRow(name: string, options: RowOptions): Promise<Entry> {
  const row = ROWS[name];
  if (!row) throw new Error(`there is no row ${name}\n${USAGE}`);
  options.say(`measuring ${name}`);
  try {
    return { name, result: await row(options) };
  } catch (error) {
    if (error instanceof BenchError || error instanceof LabError) return { name, missing: error.message };
    throw error;
  }
}

function checkSizes(
  entries: readonly Entry[],
  { gate, accept }: { gate: boolean; accept: boolean },
): string[] {
  const entry = entries.find(({ name }) => name === 'size');
  if (!entry || 'missing' in entry) {
    return gate || accept ? ['--gate and --accept need the sizes, which were not measured'] : [];
  }
  if (accept) acceptSizes(entry.result.verdicts);
  return gate ? grownSizes(entry.result.verdicts) : [];
}

function readArguments(argv: string[]) {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      runs: { type: 'string' },
      json: { type: 'boolean', default: false },
      gate: { type: 'boolean', default: false },
      accept: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const runs = values.runs === undefined ? undefined : Number(values.runs);
  if (runs !== undefined && (!Number.isInteger(runs) || runs < 1)) {
    throw new Error(`--runs ${values.runs}: give a whole number of at least 1`);
  }
  return { ...values, names: positionals, runs };
}

/** Nobody's figures are to tell what this shell sets for Node.js: our programs begin anew without it, which costs a start. */
function withoutSteeringHere(): void {
  const own = withoutNodeVariables(process.env);
  if (own === undefined) return;
  for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
}
