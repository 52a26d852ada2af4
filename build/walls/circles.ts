import { dirname, posix } from 'node:path';
import type { Use } from './uses.ts';

/** What imports each other in a ring, in the order of names. */
type Circle = readonly string[];

/** By path of the file, as `readUses` gives them. */
type Uses = ReadonlyMap<string, readonly Use[]>;

/** Circles among files. Imports of types count, since a reader has to follow them too. */
export function circlesOfFiles(uses: Uses): Circle[] {
  return ringsOf(graphOf(uses, (path) => path));
}

/** Circles among folders: each stands for the files directly in it, so a folder and one below it can make a circle. */
export function circlesOfFolders(uses: Uses): Circle[] {
  return ringsOf(graphOf(uses, dirname));
}

/**
 * Circles among top rooms, each with all that lies below it: no room can be read, or moved, without those that it makes a circle
 * with, however well their folders are sorted.
 */
export function circlesOfTopRooms(uses: Uses): Circle[] {
  return ringsOf(graphOf(uses, topRoomOf));
}

/** `src/agent/NAME` and `src/controller/NAME`; elsewhere `src/NAME`. A file that lies in no room stands for itself. */
function topRoomOf(path: string): string {
  const parts = path.split('/');
  const isOfProgram = parts[1] === 'agent' || parts[1] === 'controller';
  return parts.slice(0, isOfProgram ? 3 : 2).join('/');
}

function graphOf(uses: Uses, nodeOf: (path: string) => string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [path, list] of uses) {
    for (const { kind, what } of list) {
      if (kind !== 'import' || !/^\.\.?\//.test(what)) continue;
      const [from, to] = [nodeOf(path), nodeOf(posix.join(dirname(path), what))];
      if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return graph;
}

/** The strongly connected components of more than one node (Tarjan, 1972). */
function ringsOf(graph: ReadonlyMap<string, ReadonlySet<string>>): Circle[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const rings: Circle[] = [];
  const visit = (node: string): number => {
    const mine = order.size;
    order.set(node, mine);
    lowest.set(node, mine);
    open.push(node);
    for (const next of graph.get(node) ?? []) {
      const reached = order.has(next) ? (open.includes(next) ? order.get(next) : undefined) : visit(next);
      if (reached !== undefined) lowest.set(node, Math.min(lowest.get(node) ?? mine, reached));
    }
    const low = lowest.get(node) ?? mine;
    if (low === mine) {
      const ring = open.splice(open.indexOf(node));
      if (ring.length > 1) rings.push(ring.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return rings;
}
