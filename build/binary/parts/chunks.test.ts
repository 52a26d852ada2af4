import { expect, it } from 'vitest';
import { asBody } from './chunks.ts';

const idOf = (name: string) => (name.startsWith('chunk-') ? `m${name.slice(6, 7)}` : undefined);
const run = async (code: string): Promise<unknown> => {
  const body = await asBody(code, idOf);
  const taken: string[] = [];
  const take = (id: string) => {
    taken.push(id);
    return { a: 1, b: 2, default: 3 };
  };
  const bring = async (id: string) => take(id);
  return [new Function('take', 'bring', body)(take, bring), taken];
};

it.each<[string, unknown, string[]]>([
  ['import{a as x,b}from"./chunk-1.js";var y=x+b;export{y as sum};', { sum: 3 }, ['m1']],
  [
    'import * as all from "./chunk-1.js";\nimport "./chunk-2.js";\nexport {\n  all as every\n};\n',
    { every: { a: 1, b: 2, default: 3 } },
    ['m1', 'm2'],
  ],
  [
    'function f(){return join}import join,{a}from"node:path";var g=[f().b,a];export{g};',
    { g: [2, 1] },
    ['node:path', 'node:path'],
  ],
  ['var text="import{b}from\'c\';";export{text};', { text: "import{b}from'c';" }, []],
  ['import"./chunk-1.js";console', {}, ['m1']],
])('makes a function of %s', async (code, exported, taken) => {
  expect(await run(code)).toEqual([exported, taken]);
});

it('brings what is imported dynamically', async () => {
  const [{ one, other }] = (await run(
    'var one=import("./chunk-1.js"),other=import("node:fs");export{one,other};',
  )) as [{ one: Promise<unknown>; other: Promise<unknown> }];
  expect([await one, await other]).toEqual([
    { a: 1, b: 2, default: 3 },
    { a: 1, b: 2, default: 3 },
  ]);
});

it.each([
  'export var a=1;',
  'var a=1;export default a;',
  'export{a}from"./chunk-1.js";',
  'export*from"./chunk-1.js";',
  'var a;export{a};a=1;',
  'var a=import(b);export{a};',
])('refuses what esbuild does not write: %s', async (code) => {
  await expect(asBody(code, idOf)).rejects.toThrow();
});
