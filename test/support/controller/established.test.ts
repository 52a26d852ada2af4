import { expect, it } from 'vitest';
import { waitUntilEstablished } from './established.ts';

const NOT_YET =
  'error: .status.conditions accessor error: <nil> is of the type <nil>, expected []interface{}';

it('asks again while a definition has no conditions, and tells every other failure', async () => {
  const said: string[] = [];
  await waitUntilEstablished(
    async (words) => {
      said.push(words.join(' '));
      if (said.length < 3) throw new Error(NOT_YET);
    },
    ['crd/a'],
  );
  expect(said).toHaveLength(3);
  expect(said[0]).toBe('wait --for=condition=Established crd/a --timeout=180s');
  await expect(waitUntilEstablished(() => Promise.reject(new Error('Forbidden')))).rejects.toThrow(
    'Forbidden',
  );
});
