/** Writes the JSON Schema of the one document; `npm run node -- build/docs/schema.ts`, then `npm run fix` for its lines. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonSchema } from '../../src/agent/userdata/native/json-schema.ts';

export const SCHEMA = fileURLToPath(new URL('../../docs/schema/user-data.v1alpha1.json', import.meta.url));

if (import.meta.main) {
  mkdirSync(dirname(SCHEMA), { recursive: true });
  writeFileSync(SCHEMA, `${JSON.stringify(jsonSchema(), undefined, 2)}\n`);
}
