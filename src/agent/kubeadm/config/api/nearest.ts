import { editDistance } from '../../../../kit/edit-distance.ts';

/** The known word that a misspelt one most likely stands for; undefined when none is near. */
export function nearestField(word: string, known: readonly string[]): string | undefined {
  const bare = plain(word);
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(bare, plain(name));
    if (best === undefined || distance < best.distance) best = { name, distance };
  }
  return best !== undefined && best.distance <= Math.min(2, bare.length / 3) ? best.name : undefined;
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_]/g, '');
}
