import { placeText } from '../../kit/position.ts';
import type { Diagnostic, Document, Position } from '../document/document.ts';

interface Place {
  path: string;
  where?: Position;
}

/** What cannot both be: a file, and something below it, or a directory in its place. Whichever comes first, the other one fails. */
export function contradictions(document: Pick<Document, 'files' | 'directories' | 'links'>): Diagnostic[] {
  const { files, directories = [], links = [] } = document;
  const written = new Map<string, Place>();
  for (const file of files) if (!written.has(clean(file.path))) written.set(clean(file.path), file);
  const told = new Set<string>();
  const tell = (place: Place, words: string, file: Place): Diagnostic[] => {
    if (told.has(place.path)) return [];
    told.add(place.path);
    const at = file.where === undefined ? '' : ` (${placeText(file.where)})`;
    const message = `${place.path} ${words} ${file.path}${at}, which is written as a file.`;
    const where = place.where ?? file.where;
    return [
      { severity: 'error', code: 'UserDataInvalid', message, ...(where === undefined ? {} : { where }) },
    ];
  };
  const places = [...files, ...directories, ...links];
  const fileAbove = filesAbove(
    places.map(({ path }) => clean(path)),
    written,
  );
  const below = places.flatMap((place) => {
    const file = fileAbove.get(clean(place.path));
    return file === undefined ? [] : tell(place, 'lies below', file);
  });
  const inPlace = directories.flatMap((place) => {
    const file = written.get(clean(place.path));
    return file === undefined ? [] : tell(place, 'is a directory in the place of', file);
  });
  return [...below, ...inPlace];
}

const clean = (path: string): string => path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');

/**
 * For each path that lies below a file, the topmost such file. The paths are looked at in the order of a tree, where all that lies
 * below a file follows it: to look up each directory of each path would take as long as the square of a path's length.
 */
function filesAbove(paths: readonly string[], written: ReadonlyMap<string, Place>): Map<string, Place> {
  // NUL, which no path holds, sorts before every other character.
  const inOrder = [...new Set(paths)].map((path) => path.replaceAll('/', '\0')).sort();
  const found = new Map<string, Place>();
  let top: { below: string; file: Place } | undefined;
  for (const key of inOrder) {
    const path = key.replaceAll('\0', '/');
    if (top !== undefined && key.startsWith(top.below)) {
      found.set(path, top.file);
      continue;
    }
    const file = written.get(path);
    if (file !== undefined) top = { below: `${key}\0`, file };
  }
  return found;
}
