import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { root } from './project.ts';
import { circlesOfFiles, circlesOfFolders } from './walls/circles.ts';
import {
  HIDDEN_IMPORTS,
  MACHINE_GLOBALS,
  MACHINE_MEMBERS_OF_PROCESS,
  PURE_MODULES,
  PURE_NAMES,
} from './walls/machine.ts';
import { BRANDS, isListed, isTest, LARGEST_FOLDER, ROOMS } from './walls/rules.ts';
import { readUses, type Use } from './walls/uses.ts';

/**
 * Holds the sources of a project against the rooms of `walls/rules.ts`, and looks for circles and crowded folders, those of
 * the build and of what tests share too.
 *
 * @param folder the checkout: tsconfig.json, package.json, src/, build/ and test/
 * @returns a sentence for each breach, with `file:line` where it lies in one
 */
export function breachesOfWalls(folder: string): string[] {
  const packages = dependenciesOf(folder);
  const uses = readUses(folder, (path) => /^(?:src|build|test)\//.test(path) && !isTest(path));
  const product = new Map([...uses].filter(([path]) => path.startsWith('src/')));
  const walls = [...product].flatMap(([path, list]) =>
    list.flatMap((use) => {
      const problem = problemOf(path, use, packages);
      return problem === undefined ? [] : [`${path}:${use.line}: ${problem}` as const];
    }),
  );
  const circles = [...circlesOfFiles(uses), ...circlesOfFolders(product)].map(
    (ring) => `a circle: ${ring.join(', ')}`,
  );
  return [...walls, ...circles, ...unlistedFolders([...product.keys()]), ...crowdedFolders([...uses.keys()])];
}

/** What each folder is, its row says. */
function unlistedFolders(paths: readonly string[]): string[] {
  const folders = new Set(paths.filter((path) => !Object.hasOwn(ROOMS, path)).map((path) => dirname(path)));
  return [...folders]
    .filter((folder) => !isListed(folder))
    .map((folder) => `${folder} has no row in build/walls/rules.ts: make it a room, or a part of one`);
}

/** A newcomer finds a thing in a minute where no folder is a heap. */
function crowdedFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > LARGEST_FOLDER)
    .map(([folder, count]) => `${folder} holds ${count} sources, more than ${LARGEST_FOLDER}: sort them`);
}

function problemOf(path: string, use: Use, packages: readonly string[]): string | undefined {
  const name = roomOf(path);
  const room = name === undefined ? undefined : ROOMS[name];
  // That it has none is told of the folder.
  if (!room) return undefined;
  const { what } = use;
  switch (use.kind) {
    case 'computed':
      return `imports what it computes (${what}), which no wall can see`;
    case 'name':
      if (HIDDEN_IMPORTS.includes(what)) return `${what} is an import that no wall can see`;
      return !room.machine && MACHINE_GLOBALS.includes(what) ? machine(name, what) : undefined;
    case 'process':
      return !room.machine && MACHINE_MEMBERS_OF_PROCESS.includes(what)
        ? machine(name, `process.${what}`)
        : undefined;
    case 'error':
      return BRANDS[what] === path
        ? undefined
        : `${what} is an error without the brand: extend ExpectedError`;
    case 'import':
      return problemOfImport(path, use, packages);
  }
}

function problemOfImport(path: string, use: Use, packages: readonly string[]): string | undefined {
  const { what } = use;
  const name = roomOf(path) ?? '';
  const room = ROOMS[name];
  if (/^\.\.?\//.test(what)) {
    const target = posix.join(dirname(path), what);
    if (isTest(target)) return `imports ${target}, which is for tests only`;
    const to = roomOf(target);
    if (to !== undefined && (to === name || room?.imports.includes(to))) return undefined;
    return `imports ${target}; ${name} may import ${['itself', ...(room?.imports ?? [])].join(', ')}`;
  }
  const module = what.replace(/^node:/, '');
  if (builtinModules.includes(module) || what.startsWith('node:')) {
    const pure =
      PURE_MODULES.includes(module) || use.names?.every((word) => PURE_NAMES[module]?.includes(word));
    return room?.machine || pure ? undefined : machine(name, what);
  }
  const known = packages.find((one) => what === one || what.startsWith(`${one}/`));
  if (known === undefined) return `imports ${what}, which is none of the dependencies in package.json`;
  if (room?.packages?.includes(known)) return undefined;
  return `imports ${what}; ${name} may import ${room?.packages?.join(', ') ?? 'no package'}`;
}

function machine(room: string | undefined, what: string): string {
  return `uses ${what}; ${room} does not touch the machine, a Host does (src/agent/host)`;
}

/** The longest room that `path` lies in. */
function roomOf(path: string): string | undefined {
  return Object.keys(ROOMS)
    .filter((room) => path === room || path.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0];
}

function dependenciesOf(folder: string): string[] {
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return Object.keys(manifest.dependencies ?? {});
}

// node build/walls.ts [FOLDER]; part of npm run check.
if (import.meta.main) {
  const breaches = breachesOfWalls(process.argv[2] ?? root);
  for (const breach of breaches) console.error(breach);
  if (breaches.length > 0) {
    console.error(`\nWalls: ${breaches.length} breaches; see docs/decisions/walls.md.`);
    process.exitCode = 1;
  }
}
