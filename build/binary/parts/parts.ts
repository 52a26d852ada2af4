import { join, relative } from 'node:path';
import type { OnResolveResult, Plugin } from 'esbuild';
import { root } from '../../project.ts';
import { type Bundle, bundle } from '../bundle.ts';
import { LATER, LATER_PART } from './later.ts';

interface Parts {
  /** What every start reads. */
  readonly main: Bundle;
  /** What is read when something in it is called. */
  readonly later: Bundle;
}

/** The later part's entry, and the prefix by which it asks for what main has. */
const ENTRY = 'doors:';
const LENT = 'lent:';

/**
 * The agent in two parts. Each of its modules is in one of them, so that it is evaluated once. The later part gets a `require`
 * that lends it what both need.
 *
 * @param whole the agent in one script
 * @throws Error where the later part wants of main what this cannot lend
 */
export async function parts(whole: Bundle): Promise<Parts> {
  const { own, doors } = mainOf(whole);
  const borrowing = [virtual(ENTRY, () => opened(doors)), borrow(own)];
  // As an ES module esbuild writes down by name what is imported.
  const { code } = await bundle({ entry: ENTRY, plugins: borrowing, minify: false, format: 'esm' });
  const wanted = wantedBy(code);
  const lending = [lend(doors), virtual(LENT, (path) => lent(path, wanted))];
  return {
    main: await bundle({ plugins: lending }),
    later: await bundle({ entry: ENTRY, plugins: borrowing }),
  };
}

/** The modules that main holds, and those behind its doors. */
function mainOf({ metafile }: Bundle): { own: ReadonlySet<string>; doors: readonly string[] } {
  const own = new Set(['src/slipway.ts']);
  const doors = new Set<string>();
  for (const path of own) {
    for (const { path: next, kind, external } of metafile.inputs[path]?.imports ?? []) {
      if (external || metafile.inputs[next] === undefined) continue;
      if (kind === 'dynamic-import' && LATER.some((part) => part.test(next))) doors.add(next);
      else own.add(next);
    }
  }
  return { own: new Set([...own].map(named)), doors: [...doors].filter((path) => !own.has(path)).sort() };
}

/** Names that the later part imports from each of main's modules; `*` where it imports one dynamically. */
function wantedBy(code: string): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  const add = (path: string, names: string[]): void => {
    wanted.set(path, [...new Set([...(wanted.get(path) ?? []), ...names])].sort());
  };
  let rest = code.replace(/^import \{([^}]*)\} from "lent:([^"]+)";$/gm, (_, names: string, path: string) => {
    add(
      path,
      names.split(',').map((name) => name.trim().split(' ')[0] ?? ''),
    );
    return '';
  });
  rest = rest.replace(/\b__require\("lent:([^"]+)"\)/g, (_, path: string) => {
    add(path, ['*']);
    return '';
  });
  const strange = /^.*"lent:.*$/m.exec(rest);
  if (strange) throw new Error(`main cannot lend this to the later part: ${strange[0]}`);
  return wanted;
}

/** The later part's entry. */
function opened(doors: readonly string[]): string {
  return doors.map((path) => `exports[${quoted(path)}] = () => require(${absolute(path)});`).join('\n');
}

/** Main's modules for the later part: `path` is one of them or, where it is empty, the table of all. */
function lent(path: string, wanted: ReadonlyMap<string, readonly string[]>): string {
  if (path === '') {
    const table = [...wanted.keys()].map(
      (one) => `${quoted(LENT + one)}: () => require(${quoted(LENT + one)})`,
    );
    return `module.exports = {${table.join(',')}};`;
  }
  const names = wanted.get(path) ?? [];
  if (names.includes('*')) return `module.exports = require(${absolute(path)});`;
  return `import { ${names.join(', ')} } from ${absolute(path)}; module.exports = { ${names.join(', ')} };`;
}

/** In the later part: a module that main has is not bundled but asked for. */
function borrow(own: ReadonlySet<string>): Plugin {
  return resolving('borrow', (path) => (own.has(path) ? { path: LENT + path, external: true } : undefined));
}

/** In main: a module behind a door is asked for in the later part, which is run when that happens for the first time. */
function lend(doors: readonly string[]): Plugin {
  const { name, setup } = resolving('lend', (path) =>
    doors.includes(path) ? { path, namespace: 'door' } : undefined,
  );
  return {
    name,
    setup(build) {
      setup(build);
      build.onLoad({ filter: /.*/, namespace: 'door' }, ({ path }) => ({
        contents: `module.exports = require(${quoted(LATER_PART)})[${quoted(path)}]();`,
      }));
      build.onResolve({ filter: new RegExp(`^${LATER_PART}$`) }, ({ path, namespace }) =>
        namespace === 'door' ? { path, namespace: 'later' } : { path, external: true },
      );
      build.onLoad({ filter: /.*/, namespace: 'later' }, () => ({
        contents: `const table = require('${LENT}'); require(${quoted(LATER_PART)})(exports, (name) => Object.hasOwn(table, name) ? table[name]() : require(name));`,
      }));
    },
  };
}

function resolving(name: string, answer: (path: string) => OnResolveResult | undefined): Plugin {
  return {
    name,
    setup({ onResolve, resolve }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => answer(nameOf(join(resolveDir, path))));
      onResolve({ filter: /^[\w-]+$/ }, async ({ path, pluginData, ...where }) => {
        if (pluginData === name) return undefined;
        const found = await resolve(path, { ...where, pluginData: name });
        return found.external ? undefined : answer(nameOf(found.path));
      });
    },
  };
}

/** Modules that are made here, by what stands behind their prefix. */
function virtual(prefix: string, contents: (path: string) => string): Plugin {
  return {
    name: prefix,
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${prefix}`) }, ({ path }) => ({ path, namespace: prefix }));
      onLoad({ filter: /.*/, namespace: prefix }, ({ path }) => ({
        contents: contents(path.slice(prefix.length)),
        resolveDir: root,
      }));
    },
  };
}

const nameOf = (path: string): string => named(relative(root, path));

/** From the project's root, also where its packages lie elsewhere: names stand in what is built, which is the same in each folder. */
function named(path: string): string {
  return path.replace(/^\.\.\/.*?(?=node_modules\/)/, '');
}

function absolute(path: string): string {
  return quoted(join(root, path));
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
