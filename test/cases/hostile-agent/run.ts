import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cloudInitRoot, withScratchRoot } from '../../lab/lab.ts';
import { DIST } from '../../support/machines.ts';

export const about =
  'attacks on the agent that found something once: by users of the machine, by its environment, by what commands print';

const CHECKOUT = join(import.meta.dirname, '../../..');
const FOLDER = join(import.meta.dirname, 'attacks');

/** Each attack is a script of its own, in a root of Debian in namespaces, with the real binaries. It ends with 0 where nothing came of it. */
export async function run(say: (line: string) => void): Promise<void> {
  const lower = await cloudInitRoot(say);
  const common = readFileSync(join(import.meta.dirname, 'common.sh'), 'utf8');
  const attack = async (name: string): Promise<void> => {
    const script = readFileSync(join(FOLDER, name), 'utf8');
    const done = await withScratchRoot(lower, (root) =>
      root.run(`${common}\n${script}`, {
        binds: [
          { from: CHECKOUT, to: '/checkout', readOnly: true },
          { from: process.env.SLIPWAY_DIST ?? dirname(DIST), to: '/opt/dist', readOnly: true },
        ],
        timeoutMs: 600_000,
      }),
    );
    assert.equal(done.code, 0, `${name}\n${done.stdout}\n${done.stderr}`);
    say(script.split('\n', 1)[0]?.replace(/^# /, '') ?? name);
  };
  // They wait most of the time. One that fails does not leave the others without their end.
  const ends = await Promise.allSettled(readdirSync(FOLDER).map(attack));
  const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  if (failed.length > 0) throw new AggregateError(failed, failed.map(String).join('\n'));
}
