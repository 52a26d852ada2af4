import { glob } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { leftAlone } from './why-not-repeated.ts';

/** Whoever adds a kind of step decides: here, or with a reason in the table. A node that works must go on working. */
const DONE_AGAIN =
  'authorities boot-command boot-script command containerd files groups hosts importedKeys kernel ' +
  'keyboard left-call locale loginKeys mounts ntp packages passwordLogin passwords perhaps-node proxy repositories resolver secret-deletion sentinel timezone tree unit-starts units users';

describe('another run', () => {
  it('knows of every kind of step whether it is done again', async () => {
    const names = (await kinds()).filter((name) => leftAlone({ kind: name }) === undefined);
    expect(names.sort().join(' ')).toBe(DONE_AGAIN);
  });
});

async function kinds(): Promise<string[]> {
  const steps = new URL('../../steps/', import.meta.url).pathname;
  const names = new Set<string>();
  for await (const file of glob('*/*-steps.ts', { cwd: steps })) {
    const exports: Record<string, unknown> = await import(`${steps}${file}`);
    for (const one of Object.values(exports)) if (isKind(one)) names.add(one.name);
  }
  return [...names];
}

const isKind = (one: unknown): one is { name: string } =>
  typeof one === 'object' && one !== null && 'name' in one && 'plan' in one && 'work' in one;
