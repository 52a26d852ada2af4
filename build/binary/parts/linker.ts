/** The agent's parts, in the order in which they are read as far as a command needs them. Ids of chunks begin with their first letters. */
export const PART_NAMES = ['main', 'node', 'later'] as const;
export type PartName = (typeof PART_NAMES)[number];

/** Id of the chunk that does the work. */
const ENTRY = 'm0';

/** A part as a script gives it: functions that evaluate a chunk and return what it exports, by the chunk's id. */
export type Part = (take: Take, bring: Bring, require: Take) => Readonly<Record<string, () => unknown>>;
type Take = (id: string) => unknown;
type Bring = (id: string) => Promise<unknown>;

/**
 * Runs the agent from its parts. Each is read when something in it is wanted for the first time, and each chunk evaluated once, also
 * where that throws, as an ES module is.
 *
 * @param read gives a part as its script does
 */
export function runParts(read: (part: PartName) => Part): void {
  const parts = new Map<string, ReturnType<Part>>();
  const made = new Map<string, () => unknown>();
  const take: Take = (id) => {
    const known = made.get(id);
    if (known !== undefined) return known();
    if (!ID.test(id)) return require(id);
    try {
      const exported = partOf(id)[id]?.();
      made.set(id, () => exported);
      return exported;
    } catch (error) {
      made.set(id, () => {
        throw error;
      });
      throw error;
    }
  };
  const partOf = (id: string): ReturnType<Part> => {
    const letter = id.slice(0, 1);
    const known = parts.get(letter);
    if (known !== undefined) return known;
    const name = PART_NAMES.find((name) => name.startsWith(letter)) ?? 'main';
    const part = read(name)(take, bring, require);
    parts.set(letter, part);
    return part;
  };
  const bring: Bring = (id) => Promise.resolve().then(() => take(id));
  const require: Take = (name) => process.getBuiltinModule(name);
  take(ENTRY);
}

/** Of a chunk; anything else is a module of Node.js. */
const ID = /^[a-z]\d+$/;
