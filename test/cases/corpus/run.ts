import assert from 'node:assert/strict';
import { type Corpus, foreignCorpus, foreignDirectory, ownCorpus } from './inputs.ts';
import { judge, wrong } from './judge.ts';
import { changed } from './round-trip.ts';
import { reasons, table } from './table.ts';

export const about =
  "no user data of Cluster API's is refused, and none that the real programs refuse is taken in silence";

export async function run(say: (line: string) => void): Promise<void> {
  await judgeAll('own', ownCorpus(), say);
  const directory = foreignDirectory();
  if (directory === undefined) {
    say(
      "the corpus of strangers' inputs is not here (SLIPWAY_CORPUS_DIR names it): only our own were judged",
    );
    return;
  }
  await judgeAll('foreign', await foreignCorpus(directory), say);
}

async function judgeAll(which: string, corpus: Corpus, say: (line: string) => void): Promise<void> {
  const judged = await judge(corpus);
  for (const line of table(judged)) say(line);
  for (const line of reasons(judged)) say(line);
  assert.deepEqual(wrong(judged), [], `${which} corpus`);
  say(
    `${judged.length} ${which} inputs: none refused that must be accepted, none refused by its own program taken in silence`,
  );
  assert.deepEqual(await changed(judged, corpus), [], `${which} corpus`);
  say(
    'each that is accepted makes the same plan after slipway convert, and the same document when converted twice',
  );
}
