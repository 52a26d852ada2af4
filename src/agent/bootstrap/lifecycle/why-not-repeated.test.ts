import { glob } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { StepKind } from '../../steps/kind/step-kind.ts';
import { isOfEveryBoot, whyNotRepeated } from './why-not-repeated.ts';

/** Whoever adds a kind of step decides: here, or with a reason in the table. A node that works must go on working. */
const DONE_AGAIN =
  'authorities boot-command boot-script command containerd files groups hosts importedKeys kernel ' +
  'keyboard left-call locale loginKeys mounts ntp packages passwordLogin passwords perhaps-node proxy repositories resolver secret-deletion sentinel timezone tree unit-starts units users';

describe('another run', () => {
  it('knows of every kind of step whether it is done again', async () => {
    const names = new Set((await kinds()).map(({ name }) => name));
    const repeated = [...names].filter((name) => whyNotRepeated({ kind: name }) === undefined);
    expect(repeated.sort().join(' ')).toBe(DONE_AGAIN);
  });

  it('knows which kinds of steps the engine does at every boot', async () => {
    const found: string[] = [];
    for (const kind of await kinds()) {
      const { when } = (await kind.work())({ entries: [], command: { verb: 'join' } }, {
        owner: {},
      } as never);
      if (when === 'every-boot') found.push(kind.name);
    }
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((name) => !isOfEveryBoot({ kind: name }))).toEqual([]);
  });
});

async function kinds(): Promise<StepKind<unknown>[]> {
  const steps = new URL('../../steps/', import.meta.url).pathname;
  const found: StepKind<unknown>[] = [];
  for await (const file of glob('*/*-steps.ts', { cwd: steps })) {
    const exports: Record<string, unknown> = await import(`${steps}${file}`);
    for (const one of Object.values(exports)) if (isKind(one)) found.push(one);
  }
  return found;
}

const isKind = (one: unknown): one is StepKind<unknown> =>
  typeof one === 'object' && one !== null && 'name' in one && 'plan' in one && 'work' in one;
