import { SteppedClock } from '../../support/stepped-clock.ts';
import { Clustered } from './clustered.ts';
import { type Clocks, leaders } from './leaders.ts';
import { limits } from './limits.ts';
import { moves } from './moves.ts';
import { proveClock } from './proof.ts';
import { Standalone } from './standalone.ts';

// The clock of the kernel stays as it is: what is set is the clock that these processes see (libfaketime, see
// test/support/stepped-clock.ts). Times that the kernel itself stamps, as those of files, do not move.

export const about =
  'clocks of nodes and controllers are set by an hour, both ways and against each other, while events are told (for each process, by libfaketime)';

export async function run(say: (line: string) => void): Promise<void> {
  const clock = () => SteppedClock.make(say);
  const standing = { controller: await clock(), node: await clock() };
  const clustered = { first: await clock(), second: await clock() };
  try {
    await proveClock(standing.controller, say);
    // Both wait most of the time. Whichever fails, the other one is not left running.
    const ends = await Promise.allSettled([standalone(standing, say), inCluster(clustered, say)]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  } finally {
    for (const each of Object.values({ ...standing, ...clustered })) each.remove();
  }
}

async function standalone(clocks: Standalone['clocks'], say: (line: string) => void): Promise<void> {
  const scene = await Standalone.start(clocks);
  try {
    await moves(scene, say);
    await limits(scene, say);
  } catch (error) {
    say(`last words:\n${await scene.lastWords()}`);
    throw error;
  } finally {
    await scene.stop();
  }
}

async function inCluster(clocks: Clocks, say: (line: string) => void): Promise<void> {
  const scene = await Clustered.start(say);
  try {
    say('a real API server, whose clock is right');
    await leaders(scene, clocks, say);
  } catch (error) {
    const last = scene.controllers.map(({ lines }) => lines.slice(-6).join('\n'));
    say(`the controllers' last words:\n${last.join('\n')}`);
    throw error;
  } finally {
    await scene.stop();
  }
}
