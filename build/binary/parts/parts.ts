import { agentChunks, asBody, type Chunk } from './chunks.ts';
import type { PartName } from './linker.ts';
import { PARTS } from './part-list.ts';

export interface AgentPart {
  readonly name: PartName;
  /** An expression whose value is a `Part` (linker.ts). ASCII only. */
  readonly code: string;
  /** Paths from the project's root of what is in it. */
  readonly inputs: readonly string[];
}

/**
 * The agent in parts, so that a start reads and unpacks only what it may need. In each, modules are wrapped together as far as they
 * are always evaluated together; what no command evaluates is one function in V8's eyes, instead of one for each in it.
 *
 * @throws Error where chunks need each other in a circle, or one is not what esbuild writes
 */
export async function agentParts(
  options: { system?: 'linux' | 'win32'; minify?: boolean } = {},
): Promise<AgentPart[]> {
  const chunks = new Map((await agentChunks(options)).map((chunk) => [chunk.name, chunk]));
  refuseCircles(chunks);
  const ids = new Map<string, string>();
  const members = PARTS.map(() => [] as Chunk[]);
  for (const [index, own] of divided(chunks).entries())
    for (const name of inOrder(own, chunks)) {
      ids.set(name, `${PARTS[index]?.name.slice(0, 1)}${members[index]?.length}`);
      members[index]?.push(chunks.get(name) as Chunk);
    }
  const parts = PARTS.map(async ({ name }, index): Promise<AgentPart> => {
    const own = members[index] ?? [];
    const bodies = own.map(
      async (chunk) => `${ids.get(chunk.name)}(){${await asBody(chunk.code, (other) => ids.get(other))}}`,
    );
    return {
      name,
      code: `(function(take,bring,require){"use strict";return{${(await Promise.all(bodies)).join(',\n')}}})`,
      inputs: own.flatMap(({ inputs }) => inputs),
    };
  });
  return Promise.all(parts);
}

/** The same each time, the agent's entry first (`ENTRY` in linker.ts). */
function inOrder(names: ReadonlySet<string>, chunks: ReadonlyMap<string, Chunk>): string[] {
  const entry = entryOf(chunks);
  const others = [...chunks.values()].filter((chunk) => names.has(chunk.name) && chunk !== entry);
  const sorted = others.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ name }) => name);
  return names.has(entry.name) ? [entry.name, ...sorted] : sorted;
}

/** Names of the chunks in each part: of what is left, what can be reached through no later part's doors. */
function divided(chunks: ReadonlyMap<string, Chunk>): ReadonlySet<string>[] {
  const taken = new Set<string>();
  return PARTS.map((_, index) => {
    const reached = new Set([entryOf(chunks).name]);
    for (const name of reached) {
      const { needs = [], brings = [] } = chunks.get(name) ?? {};
      for (const other of needs) reached.add(other);
      for (const other of brings) if (partBehind(chunks.get(other)?.entry) <= index) reached.add(other);
    }
    const own = new Set([...reached].filter((name) => !taken.has(name)));
    for (const name of own) taken.add(name);
    return own;
  });
}

/** The place in the list of the part to which a module that is imported dynamically is a door. */
function partBehind(entry = ''): number {
  const place = PARTS.findLastIndex(({ doors }) => doors.some((door) => door.test(entry)));
  return Math.max(0, place);
}

function entryOf(chunks: ReadonlyMap<string, Chunk>): Chunk {
  const found = [...chunks.values()].find(({ entry }) => entry === 'src/slipway.ts');
  if (found === undefined) throw new Error('the agent has no entry');
  return found;
}

function refuseCircles(chunks: ReadonlyMap<string, Chunk>): void {
  const done = new Set<string>();
  const visit = (name: string, above: readonly string[]): void => {
    if (above.includes(name)) {
      const circle = [...above.slice(above.indexOf(name)), name];
      throw new Error(
        `modules need each other: ${circle.map((one) => chunks.get(one)?.inputs.join(' + ')).join(' -> ')}`,
      );
    }
    if (done.has(name)) return;
    for (const other of chunks.get(name)?.needs ?? []) visit(other, [...above, name]);
    done.add(name);
  };
  for (const name of chunks.keys()) visit(name, []);
}
