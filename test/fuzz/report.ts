import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Finding } from './session.ts';

const FOLDER = join(import.meta.dirname, 'findings');
const SHOWN = 600;

/** Keeps a finding's input in a file of its own. @returns what a person is told, with the command to have it again */
export function keepFinding({ target, seed, fault, bytes }: Finding): string {
  mkdirSync(FOLDER, { recursive: true });
  const id = createHash('sha256').update(`${target} ${fault.key}`).digest('hex').slice(0, 8);
  const path = join(FOLDER, `${target}-${id}`);
  writeFileSync(path, bytes);
  const text = Buffer.from(bytes).toString('latin1');
  return [
    `✘ ${target}: ${fault.words}`,
    `  ${bytes.length} bytes (seed ${seed}): ${JSON.stringify(text.slice(0, SHOWN))}${text.length > SHOWN ? ' ...' : ''}`,
    `  again: npm run fuzz -- ${target} --replay ${relative(process.cwd(), path)}`,
  ].join('\n');
}
