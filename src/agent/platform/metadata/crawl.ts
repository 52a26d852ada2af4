import { asRecord, type JsonRecord } from '../../../kit/json.ts';

/** Bounds for a service that lists without end. EC2 has some 80 leaves for one network card. */
const MAX_REQUESTS = 600;
const MAX_DEPTH = 10;
/** All leaves and listings together; EC2's have some 50 KiB. */
const MAX_CHARACTERS = 1024 * 1024;

/** The text of a leaf or of a listing; undefined if there is none. */
type ReadText = (path: string) => Promise<string | undefined>;

/**
 * Reads EC2's tree of metadata into a mapping, by the rules of cloud-init's `MetadataMaterializer`: a name with a slash at its
 * end is a directory, `0=my-key` is the key 0 of that name, JSON becomes a mapping, several lines become a list. Credentials
 * are left where they are.
 *
 * @returns undefined if there is no tree
 */
export async function crawl(read: ReadText): Promise<JsonRecord | undefined> {
  const budget = { left: MAX_REQUESTS };
  let characters = 0;
  const bounded: ReadText = async (path) => {
    const text = await read(path);
    characters += text?.length ?? 0;
    if (characters <= MAX_CHARACTERS) return text;
    budget.left = 0;
    return undefined;
  };
  const top = await bounded('');
  return top === undefined ? undefined : directory(bounded, '', top, budget, MAX_DEPTH);
}

async function directory(
  read: ReadText,
  base: string,
  listing: string,
  budget: { left: number },
  depth: number,
): Promise<JsonRecord> {
  const result: JsonRecord = {};
  for (const line of listing.split('\n').map((each) => each.trim())) {
    const name = line.replace(/\/$/, '');
    if (name === '' || name === 'security-credentials' || name.includes('..')) continue;
    budget.left -= 1;
    if (budget.left < 0) break;
    if (line.endsWith('/')) {
      const inner = depth > 0 ? await read(`${base}${line}`) : undefined;
      if (inner !== undefined)
        result[name] = await directory(read, `${base}${line}`, inner, budget, depth - 1);
      continue;
    }
    const [, index, key] = /^(\d+)=(.+)$/.exec(name) ?? [];
    const text = await read(index === undefined ? `${base}${name}` : `${base}${index}/openssh-key`);
    if (text !== undefined) result[key ?? name] = leaf(text);
  }
  return result;
}

function leaf(text: string): unknown {
  if (/^\s*\{/.test(text)) {
    try {
      return asRecord(JSON.parse(text)) ?? text;
    } catch {
      return text;
    }
  }
  return text.includes('\n') ? text.replace(/\n$/, '').split('\n') : text;
}
