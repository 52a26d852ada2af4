import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { loadAll } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { bundle } from './bundle.ts';
import { components } from './components.ts';

describe('the controller', () => {
  it('has the thread that verifies chains as a program that runs by itself', async () => {
    const { code } = await bundle({ entry: 'src/controller/chains/worker.ts' });
    const worker = new Worker(code, { eval: true, env: {}, execArgv: [] });
    worker.postMessage({ key: 'a', certificates: Buffer.from('3000', 'hex'), authorities: [], now: 0 });
    const [answer] = await once(worker, 'message');
    expect(answer).toMatchObject({ why: 'its certificate is damaged' });
    await worker.terminate();
  });

  it("is a bundle of its own, without the agent's code", async () => {
    const { inputs, metafile } = await bundle({ entry: 'src/slipway-controller.ts' });
    const strangers = inputs.filter(
      (path) =>
        !/^(src\/(controller|protocol|kit|pki|secrets|tpm)\/|src\/slipway-controller\.ts$|node_modules\/(commander|js-yaml|undici)\/)/.test(
          path,
        ),
    );
    expect(strangers).toEqual([]);
    expect(inputs).toContain('src/controller/serve/kubernetes.ts');
    const outside = Object.values(metafile.outputs).flatMap((output) =>
      output.imports.map(({ path }) => path),
    );
    expect(
      outside.filter((path) => !path.startsWith('node:') && !['process', 'buffer'].includes(path)),
    ).toEqual([]);
  });

  it('has one components file with every object once, the namespace first', () => {
    const documents = loadAll(components()).map((document) => {
      const { kind, metadata } = document as {
        kind: string;
        metadata: { name: string; namespace?: string };
      };
      return `${kind} ${metadata.namespace ?? '-'}/${metadata.name}`;
    });
    expect(documents[0]).toBe('Namespace -/slipway-system');
    expect(new Set(documents).size).toBe(documents.length);
    expect(documents).toContain('CustomResourceDefinition -/nodebootstraps.slipway.dev');
    expect(components()).toMatch(/- --name=\$\{SLIPWAY_ENDPOINT:=/);
    expect(documents).toContain('Deployment slipway-system/slipway-controller');
  });

  it('has a schema of words that API servers know: since 1.25 kubectl refuses others', () => {
    const definitions = (
      loadAll(components()) as {
        kind: string;
        spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
      }[]
    ).filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(definitions).toHaveLength(3);
    const strange = definitions
      .flatMap(({ spec }) => spec.versions)
      .flatMap(({ schema }) => strangeWords(schema.openAPIV3Schema));
    expect(strange).toEqual([]);
    expect(strangeWords({ properties: { a: { type: 'string', 'the last one.': null } as Schema } })).toEqual([
      'the last one.',
    ]);
  });
});

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

const WORDS = [
  ...['type', 'format', 'description', 'properties', 'required', 'items', 'enum', 'pattern', 'default'],
  ...['maxLength', 'minLength', 'maxItems', 'minItems', 'maximum', 'minimum', 'additionalProperties'],
  'maxProperties',
];

function strangeWords(schema: Schema): string[] {
  const own = Object.keys(schema).filter(
    (word) => !WORDS.includes(word) && !word.startsWith('x-kubernetes-'),
  );
  const below = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return [...own, ...below.flatMap(strangeWords)];
}
