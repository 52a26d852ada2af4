import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { components } from '../../../build/binary/components.ts';
import { root } from '../../../build/project.ts';
import { applyText, type Deployed, knownPart, SERVICE } from './deployed.ts';

const FILE = 'dist/addon-components.yaml';

/** What clusterctl would apply is accepted, with its variable and without. */
export async function acceptComponents({ machine }: Deployed): Promise<void> {
  const text = readFileSync(join(root, FILE), 'utf8');
  assert.equal(text, components(), `${FILE} is older than manifests/; run: npm run build`);
  const wanted = loadAll(await knownPart(text)).length;
  for (const endpoint of [undefined, 'slipway.example.org']) {
    const filled = substitute(text, endpoint === undefined ? {} : { SLIPWAY_ENDPOINT: endpoint });
    assert.match(filled, new RegExp(`- --name=${endpoint ?? SERVICE}\n`));
    const said = await applyText(machine, filled, '--dry-run=server');
    const lines = said.trim().split('\n');
    assert.equal(lines.filter((line) => line.endsWith('(server dry run)')).length, wanted, said);
  }
}

/**
 * Variables as clusterctl fills them in (drone/envsubst): `$$` is a dollar sign, `${NAME:=default}` and `${NAME:-default}` take
 * the default where NAME is empty or absent, and any other dollar sign stands for itself.
 */
function substitute(text: string, values: Record<string, string>): string {
  return text.replace(
    /\$\$|\$\{(?:([A-Za-z0-9_]+)(?::[=-]([^}]*))?\})?/g,
    (all, name?: string, otherwise?: string) => {
      if (all === '$$') return '$';
      assert.ok(name, `${FILE} has a variable of a form that is not known here`);
      const value = values[name] || otherwise;
      assert.ok(value, `${FILE} needs a value for ${name}: clusterctl would refuse it`);
      return value;
    },
  );
}
