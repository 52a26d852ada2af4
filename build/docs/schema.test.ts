import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SCHEMA, schemaText } from './schema.ts';

it('docs/schema is current (else run: node build/docs/schema.ts)', () => {
  expect(readFileSync(SCHEMA, 'utf8')).toBe(schemaText());
});
