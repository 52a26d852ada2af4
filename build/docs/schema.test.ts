import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { jsonSchema } from '../../src/agent/userdata/native/json-schema.ts';
import { SCHEMA } from './schema.ts';

it('docs/schema is current (else run: npm run node -- build/docs/schema.ts && npm run fix)', () => {
  expect(JSON.parse(readFileSync(SCHEMA, 'utf8'))).toEqual(jsonSchema());
});
