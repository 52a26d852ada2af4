import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeBinary, root } from '../project.ts';

/** A part of the binary that others wrote. */
interface Part {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as its package.json has it. */
  readonly license: string;
  /** The whole text of its licence files. */
  readonly text: string;
}

/**
 * The parts of a binary that its licences ask to be named: each npm package that a file of the bundle comes from, and
 * Node.js with all that is built into it.
 *
 * @param inputs paths of the bundle's files, from `folder` (see `Bundle.inputs`)
 * @throws Error naming the package that has no licence, or no text of it, among its files: such a one cannot be shipped.
 */
export function partsOf(inputs: readonly string[], folder = root): Part[] {
  const node = readPart(dirname(dirname(nodeBinary())));
  return [
    ...packagesOf(inputs, folder),
    // The package carries Node.js's own licence file.
    { ...node, name: 'Node.js', license: 'MIT and others, see the text' },
  ];
}

/** The npm packages among them. One package may be there in two versions, where another one brings its own. */
export function packagesOf(inputs: readonly string[], folder = root): Part[] {
  const paths = inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(paths)].sort().map((path) => readPart(join(folder, path)));
}

/** Everything as one text for people: what is in the binary, then each licence in full. */
export function licensesText(parts: readonly Part[]): string {
  const own = readFileSync(join(root, 'LICENSE'), 'utf8');
  const titles = parts.map(({ name, version, license }) => `${name} ${version} (${license})`);
  const chapters = [
    { title: 'Slipway (Apache-2.0)', text: own },
    ...parts.map(({ text }, index) => ({ title: titles[index], text })),
  ];
  return [
    'Slipway is licensed under the Apache License 2.0. Its binary also holds:',
    '',
    ...titles.map((title) => `  ${title}`),
    '',
    "Node.js is upstream's executable without its symbols (on Windows without its signature), with Slipway put in as a single executable application.",
    '',
    'The licences of all of them follow.',
    ...chapters.map(
      ({ title, text }) => `\n${'='.repeat(80)}\n${title}\n${'='.repeat(80)}\n\n${text.trim()}`,
    ),
    '',
  ].join('\n');
}

function readPart(folder: string): Part {
  const manifest: { name?: string; version?: string; license?: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const { name = folder, version = '', license = '' } = manifest;
  const text = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)([.-]|$)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    .join('\n\n');
  if (license === '' || text === '') throw new Error(`${name} ${version} comes without a licence text`);
  return { name, version, license, text };
}
