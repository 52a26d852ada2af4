import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root as checkout } from '../../../build/project.ts';
import { fill } from '../values.ts';

/** A file of ignition/ with its settings filled in, as its README says. */
export function shipped(name: string, url = 'https://files.example', file?: string): string {
  const content = file === undefined ? '' : readFileSync(file);
  return fill(readFileSync(join(checkout, 'ignition', name), 'utf8'), {
    URL: url,
    SHA512: createHash('sha512').update(content).digest('hex'),
    IMAGE: 'slipway.raw',
  });
}
