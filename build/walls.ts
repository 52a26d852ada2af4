import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { root } from './project.ts';
import { circlesOfFiles, circlesOfFolders, circlesOfTopRooms } from './walls/circles.ts';
import {
  HIDDEN_IMPORTS,
  MACHINE_GLOBALS,
  MACHINE_MEMBERS_OF_PROCESS,
  PURE_MODULES,
  PURE_NAMES,
} from './walls/machine.ts';
import { BRANDS, isTest, LARGEST_FOLDER, ROOMS } from './walls/rules.ts';
import { readUses, type Use } from './walls/uses.ts';

/** By path of the file, as `readUses` gives them. */
type Uses = ReadonlyMap<string, readonly Use[]>;

/**
 * Holds the sources of a project against the rooms of `walls/rules.ts`, and looks for circles and crowded folders, those of
 * the build and of what tests share too.
 *
 * @param folder the checkout: tsconfig.json, package.json, src/, build/ and test/
 * @returns a sentence for each breach, with `file:line` where it lies in one
 */
export function wallViolations(folder: string, all: Uses = readUses(folder)): string[] {
  const packages = dependenciesOf(folder);
  const uses = new Map([...all].filter(([path]) => !isTest(path)));
  const product = productOf(uses);
  const walls = [...product].flatMap(([path, list]) =>
    list.flatMap((use) => {
      const problem = problemOf(path, use, packages);
      return problem === undefined ? [] : [`${path}:${use.line}: ${problem}` as const];
    }),
  );
  const circles = [
    ...[...circlesOfFiles(uses), ...circlesOfFolders(product)].map((ring) => `a circle: ${ring.join(', ')}`),
    ...circlesOfTopRooms(product).map((ring) => `a circle of top rooms: ${ring.join(', ')}`),
  ];
  const withoutRow = [...new Set([...product.keys()].map(roomOf))].filter(
    (room) => !Object.hasOwn(ROOMS, room),
  );
  return [
    ...walls,
    ...circles,
    ...withoutRow.map((room) => `${room} has no row in build/walls: say what it may import`),
    ...crowdedFolders([...uses.keys()]),
  ];
}

/** Words of rows that no source needs: a row says what its room imports, no more. */
export function unusedRowWords(uses: Uses): string[] {
  const used = new Set<string>();
  for (const [path, list] of productOf(uses)) {
    used.add(roomOf(path));
    for (const { kind, what } of list) {
      if (kind !== 'import') continue;
      const isOurs = /^\.\.?\//.test(what);
      used.add(`${roomOf(path)} ${isOurs ? roomOf(posix.join(dirname(path), what)) : packageOf(what)}`);
    }
  }
  return Object.entries(ROOMS).flatMap(([name, { imports, packages }]) => [
    ...(used.has(name) ? [] : [`${name} has a row in build/walls, and no sources`]),
    ...[...imports, ...packages]
      .filter((word) => !used.has(`${name} ${word}`))
      .map((word) => `${name} does not import ${word}: take it out of its row`),
  ]);
}

/** `@scope/name` of `@scope/name/file.js`, `name` of `name/file.js`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

/** What src/ and build/ export, and no other file imports: it says that others depend on it, and none does. */
export function unusedExports(uses: Uses): string[] {
  const taken = new Set<string>();
  for (const [path, list] of uses) {
    for (const { what, names } of list.filter(({ kind }) => kind === 'import')) {
      for (const name of names ?? ['*']) taken.add(`${posix.join(dirname(path), what)} ${name}`);
    }
  }
  return [...uses].flatMap(([path, list]) =>
    path.startsWith('test/') || taken.has(`${path} *`)
      ? []
      : list
          .filter(({ kind, what }) => kind === 'export' && !taken.has(`${path} ${what}`))
          .map(({ what, line }) => `${path}:${line}: exports ${what}, which no other file imports`),
  );
}

function productOf(uses: Uses): Uses {
  return new Map([...uses].filter(([path]) => path.startsWith('src/') && !isTest(path)));
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
  const room = ROOMS[name];
  // That it has none is told of the room.
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
    case 'export':
      return undefined;
    case 'import':
      return problemOfImport(path, use, packages);
  }
}

function problemOfImport(path: string, use: Use, packages: readonly string[]): string | undefined {
  const { what } = use;
  const name = roomOf(path);
  const room = ROOMS[name];
  if (/^\.\.?\//.test(what)) {
    const target = posix.join(dirname(path), what);
    if (isTest(target)) return `imports ${target}, which is for tests only`;
    const to = roomOf(target);
    if (to === name || room?.imports.includes(to)) return undefined;
    return `imports ${target}; ${name} may import ${['itself', ...(room?.imports ?? [])].join(', ')}`;
  }
  const module = what.replace(/^node:/, '');
  if (builtinModules.includes(module) || what.startsWith('node:')) {
    const pure =
      PURE_MODULES.includes(module) || use.values?.every((word) => PURE_NAMES[module]?.includes(word));
    return room?.machine || pure ? undefined : machine(name, what);
  }
  const known = packages.find((one) => what === one || what.startsWith(`${one}/`));
  if (known === undefined) return `imports ${what}, which is none of the dependencies in package.json`;
  if (room?.packages.includes(known)) return undefined;
  return `imports ${what}; ${name} may import ${room?.packages.join(', ') || 'no package'}`;
}

function machine(room: string, what: string): string {
  return `uses ${what}; ${room} does not touch the machine, a Host does (src/agent/host)`;
}

/** The folder, or the file itself where it has a row of its own. */
function roomOf(path: string): string {
  return Object.hasOwn(ROOMS, path) ? path : dirname(path);
}

function dependenciesOf(folder: string): string[] {
  const manifest: { dependencies?: Record<string, string> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return Object.keys(manifest.dependencies ?? {});
}

// npm run node -- build/walls.ts [FOLDER]; part of npm run check.
if (import.meta.main) {
  const folder = process.argv[2] ?? root;
  const uses = readUses(folder);
  const breaches = [...wallViolations(folder, uses), ...unusedRowWords(uses), ...unusedExports(uses)];
  for (const breach of breaches) console.error(breach);
  if (breaches.length > 0) {
    console.error(`\nWalls: ${breaches.length} breaches; see docs/decisions/walls.md.`);
    process.exitCode = 1;
  }
}
