import { placeText } from '../../kit/position.ts';
import type { Document, Position, ReportEntry } from '../document/document.ts';

/** Longer than any system takes: such a path fails by itself, and has too many directories to look at. */
const LONGEST_PATH = 4096;

interface Place {
  path: string;
  where?: Position;
}

/** What cannot both be: a file, and something below it, or a directory in its place. Whichever comes first, the other one fails. */
export function contradictions(document: Pick<Document, 'files' | 'directories' | 'links'>): ReportEntry[] {
  const { files, directories = [], links = [] } = document;
  const written = new Map<string, Place>();
  for (const file of files) if (!written.has(clean(file.path))) written.set(clean(file.path), file);
  const told = new Set<string>();
  const tell = (place: Place, words: string, file: Place): ReportEntry[] => {
    if (told.has(place.path)) return [];
    told.add(place.path);
    const at = file.where === undefined ? '' : ` (${placeText(file.where)})`;
    const message = `${place.path} ${words} ${file.path}${at}, which is written as a file.`;
    const where = place.where ?? file.where;
    return [
      { severity: 'error', code: 'UserDataInvalid', message, ...(where === undefined ? {} : { where }) },
    ];
  };
  const below = [...files, ...directories, ...links].flatMap((place) => {
    const file = above(clean(place.path))
      .map((path) => written.get(path))
      .find((one) => one !== undefined);
    return file === undefined ? [] : tell(place, 'lies below', file);
  });
  const inPlace = directories.flatMap((place) => {
    const file = written.get(clean(place.path));
    return file === undefined ? [] : tell(place, 'is a directory in the place of', file);
  });
  return [...below, ...inPlace];
}

const clean = (path: string): string => path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');

/** The directories in which a path lies. */
function above(path: string): string[] {
  if (path.length > LONGEST_PATH) return [];
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)).filter((each) => each !== '');
}
