import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { root } from '../../../build/project.ts';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { createLog } from '../log.ts';
import { readNodeBootstrapSchema } from './node-bootstrap-schema.ts';

const APPLIED = readFileSync(join(root, 'manifests/crd/slipway.dev_nodebootstraps.yaml'), 'utf8');

/** @param answer the CustomResourceDefinition in YAML, or the error in its place */
async function look(answer: string | Error) {
  const lines: string[] = [];
  const request = async (method: string, path: string): Promise<unknown> => {
    expect([method, path]).toEqual([
      'GET',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodebootstraps.slipway.dev',
    ]);
    if (answer instanceof Error) throw answer;
    return load(answer);
  };
  const schema = await readNodeBootstrapSchema(
    { request } as unknown as KubeClient,
    createLog((line) => lines.push(line)),
  );
  return { schema, said: lines.map((line) => JSON.parse(line)) };
}

it('finds both in the manifest of this release, and says nothing', async () => {
  expect(await look(APPLIED)).toEqual({ schema: { hasLateTokens: true, hasVerdicts: true }, said: [] });
});

it('says once what an earlier one lacks, and what to apply', async () => {
  const withoutLate = APPLIED.replace('lateToken, ', '');
  expect(withoutLate).not.toBe(APPLIED);
  const one = await look(withoutLate);
  expect(one.schema).toEqual({ hasLateTokens: false, hasVerdicts: true });
  expect(one.said).toMatchObject([{ off: expect.stringMatching(/^machines that come after[^;]+$/) }]);
  const both = await look(withoutLate.replace(/^ {16}verdict:$/m, '                former:'));
  expect(both.schema).toEqual({ hasLateTokens: false, hasVerdicts: false });
  expect(both.said).toMatchObject([
    {
      level: 'warn',
      message: expect.stringMatching(/nodebootstraps\.slipway\.dev is of an earlier release/),
      off: expect.stringMatching(/come after their Node.*clusterctl move/),
      remedy: expect.stringMatching(/apply manifests\/crd, then restart/),
    },
  ]);
});

it('looks at the version that it writes', async () => {
  const { schema } = await look(APPLIED.replace('- name: v1alpha1', '- name: v1'));
  expect(schema).toEqual({ hasLateTokens: false, hasVerdicts: false });
});

it('counts on nothing that it may not read, and does not start on an answer that may be another one soon', async () => {
  const { schema, said } = await look(new KubeError(403, 'Forbidden', 'no'));
  expect(schema).toEqual({ hasLateTokens: false, hasVerdicts: false });
  expect(said).toMatchObject([{ remedy: expect.stringMatching(/apply manifests\/rbac/) }]);
  await expect(look(new KubeError(503, 'Unavailable', 'busy'))).rejects.toThrow(/busy/);
});
