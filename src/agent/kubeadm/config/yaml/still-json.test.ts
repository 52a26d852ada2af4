import { describe, expect, it } from 'vitest';
import { stillJson } from './still-json.ts';

const JOIN = '{"apiVersion": "kubeadm.k8s.io/v1beta4", "kind": "JoinConfiguration", "a": "1e3"}';
const edited = JOIN.replace('{', '{timeouts: {discovery: 1m0s}, ');

describe('a document of a configuration that was JSON', () => {
  it('is JSON after an edit, whatever stands before and after it', () => {
    const plain = 'apiVersion: v1\nkind: Other\nflow: {a: b}\n';
    const whole = (json: string) => `${plain}---\n${json}\n---\n{"apiVersion": "v1", "kind": "Third"}\n`;
    const text = stillJson(whole(JOIN), `${whole(edited)}---\napiVersion: v1\nkind: Added\n`);
    const json = `{"timeouts":{"discovery":"1m0s"},${JOIN.slice(1).replaceAll(/([:,]) /g, '$1')}`;
    expect(text).toBe(`${whole(json)}---\napiVersion: v1\nkind: Added\n`);
  });

  it.each([
    ['not edited', JOIN, JOIN],
    ['YAML in braces', JOIN.replaceAll('"', ''), edited.replaceAll('"', '')],
    ['JSON after the edit as well', JOIN, JOIN.replace('1e3', '2')],
    ['block YAML', 'apiVersion: v1\nkind: A\n', 'x: {y: z}\napiVersion: v1\nkind: A\n'],
  ])('stays as it is where it was %s', (_, before, after) => {
    expect(stillJson(before, after)).toBe(after);
  });
});
