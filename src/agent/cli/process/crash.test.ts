import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { nodeBinary } from '../../../../build/project.ts';

const CRASH = new URL('./crash.ts', import.meta.url).href;

it.each([
  ['waits for what cannot come any more', 'new Promise(() => undefined)', 1, /not done/],
  ['is done', 'Promise.resolve(0)', 0, /^$/],
  ['ends itself', 'new Promise(() => process.exit(0))', 0, /^$/],
  ['fails', 'Promise.reject(new Error("oh"))', 1, /oh/],
])('the exit status of a program that %s', (_, program, status, told) => {
  const code = `const { start } = await import(${JSON.stringify(CRASH)}); start(() => ${program});`;
  const ended = execaSync(nodeBinary(), ['--input-type=module', '-e', code], { reject: false });
  expect(ended.exitCode).toBe(status);
  expect(ended.stderr).toMatch(told);
});
