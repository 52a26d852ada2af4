/** The known word that a misspelt one most likely stands for; undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
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

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
