/** What each reader of YAML reads as the same one value: words, a number, a text in quotes, a list of these, on one line. */
const WORD = String.raw`(?:[A-Za-z_/~](?:[\w./=@+,()-]|:(?=[\w/]))*(?: [\w./=@+,()-]+)*|\d+)`;
const QUOTED = String.raw`(?:"[^"\\]*"|'[^']*')`;
const ITEM = String.raw`(?:[A-Za-z_/~][\w./=@+()-]*(?: +[\w./=@+()-]+)*|\d+|${QUOTED})`;
const VALUE = String.raw`(?:${WORD}|${QUOTED}|\[ *(?:${ITEM}(?: *, *${ITEM})*)? *\])`;
/** `key: value`, `key:` or `- value`, the former two behind a dash or not. A value alone goes on with the line before, and is not sure. */
const LINE = new RegExp(String.raw`^( *)(- +)?(?:([A-Za-z_][\w-]{0,99}):(?= |$) *)?(${VALUE})? *(?: #.*)?$`);
/** Less than any limit of who reads the rest. */
const MOST_LETTERS = 64 * 1024;
const MOST_LEVELS = 20;
/** Breaks lines for YAML alone, or means something else there. */
const STRANGE = /[^\n -~]/;

/**
 * A text of YAML without comments and without what stands below keys of which nothing is wanted. Lines stay where they are.
 *
 * Reading a character as YAML takes a microsecond at start, and an image's cloud.cfg is read at each boot. What is left out
 * must mean nothing for the rest, nor be wrong: so each line has to be a plain one that stands where it can.
 *
 * @param isWanted asked for each key of the first level, and for each right below it with the one above
 * @returns undefined where that is not sure
 */
export function relevantLines(
  text: string,
  isWanted: (key: string, above?: string) => boolean,
): string | undefined {
  if (text.length > MOST_LETTERS || STRANGE.test(text)) return undefined;
  const structure = new Structure();
  const kept: string[] = [];
  let [first, second, isKept, isFirstKept] = ['', 0, true, true];
  for (const line of text.split('\n')) {
    const start = line.trimStart();
    if (start === '' || start.startsWith('#')) {
      kept.push('');
      continue;
    }
    const [, spaces, dash = '', key, value] = LINE.exec(line) ?? [];
    const indent = spaces?.length ?? 0;
    const isItem = dash !== '' && value !== undefined;
    if (spaces === undefined || (key === undefined && !isItem)) return undefined;
    if (!structure.takes(indent, dash, key !== undefined, value === undefined)) return undefined;
    if (key !== undefined && dash === '' && indent === 0) {
      [first, second] = [key, 0];
      isKept = isFirstKept = isWanted(key);
    } else if (key !== undefined && dash === '' && isFirstKept && (second === 0 || indent === second)) {
      // The first one stays, or there would be no mapping.
      isKept = second === 0 || isWanted(key, first);
      second = indent;
    }
    kept.push(isKept ? line : '');
  }
  return kept.join('\n');
}

/** Knows where a line can stand: where a mapping or a list goes on, or where one begins below a key without a value. */
class Structure {
  readonly #levels: { indent: number; isList: boolean }[] = [];
  /** Where the key stands that has no value yet. */
  #open: number | undefined = -1;

  takes(indent: number, dash: string, hasKey: boolean, isOpen: boolean): boolean {
    const isList = dash !== '';
    const isOver = (level: { indent: number; isList: boolean } | undefined) =>
      level !== undefined && (level.indent > indent || (level.indent === indent && level.isList && !isList));
    while (isOver(this.#levels.at(-1))) this.#levels.pop();
    const here = this.#levels.at(-1);
    const goesOn = here?.indent === indent && here.isList === isList;
    const open = this.#open ?? Number.POSITIVE_INFINITY;
    if (!goesOn && indent <= open && !(isList && indent === open)) return false;
    if (!goesOn) this.#levels.push({ indent, isList });
    const place = indent + dash.length;
    // A key behind a dash begins a mapping.
    if (isList && hasKey) this.#levels.push({ indent: place, isList: false });
    this.#open = hasKey && isOpen ? place : undefined;
    return this.#levels.length <= MOST_LEVELS;
  }
}
