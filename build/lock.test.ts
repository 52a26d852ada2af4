import { expect, it } from 'vitest';
import { packagesWithEngines, readLock } from './lock.ts';

it('package-lock.json says nothing of Node.js versions (else run: npm run fix)', () => {
  expect(packagesWithEngines(readLock())).toEqual([]);
});

it('finds packages that do, and leaves the project its own word', () => {
  const engines = { node: '>=22' };
  expect(
    packagesWithEngines({ packages: { '': { engines }, 'node_modules/a': { engines }, b: {} } }),
  ).toEqual(['node_modules/a']);
});
