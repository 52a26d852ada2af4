import fc from 'fast-check';
import { dump } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { yamlDocuments } from '../../../../test/support/kubeadm/yaml-documents.ts';
import { shapeConfig } from './shape-config.ts';

const shape = (text: string) => shapeConfig(text, { discoveryTimeoutSeconds: 60 });
const values = yamlDocuments;

const head = (version: string) => `apiVersion: kubeadm.k8s.io/${version}\nkind: JoinConfiguration\n`;

describe('shapeConfig', () => {
  it('sets discovery.timeout up to v1beta3, and touches no other document', () => {
    const other = '# made by hand\napiVersion: v1\nkind: Other\nmode: 0644\n';
    const text = `${other}---\n${head('v1beta3')}discovery:\n  bootstrapToken:\n    token: 'abcdef.0123456789abcdef'\n...\n---\n{a: b, apiVersion: v1, kind: Third}`;
    const made = shape(text);
    expect(made).toMatch(/^# made by hand\napiVersion: v1\nkind: Other\nmode: 0644\n---\n/);
    expect(made).toMatch(/\n\.\.\.\n---\n\{a: b, apiVersion: v1, kind: Third\}$/);
    expect(values(made)[1]).toEqual({
      ...values(text)[1],
      discovery: { bootstrapToken: { token: 'abcdef.0123456789abcdef' }, timeout: '1m0s' },
    });
  });

  it('sets timeouts.discovery from v1beta4 on', () => {
    const text = `${head('v1beta4')}discovery: {}\n`;
    expect(values(shape(text))[0]).toEqual({ ...values(text)[0], timeouts: { discovery: '1m0s' } });
    const partly = `${head('v1beta4')}timeouts:\n    tlsBootstrap: 5m0s\n`;
    expect(values(shape(partly))[0]).toMatchObject({
      timeouts: { tlsBootstrap: '5m0s', discovery: '1m0s' },
    });
    expect(values(shape(`${head('v1beta4')}timeouts:\n`))[0]).toMatchObject({
      timeouts: { discovery: '1m0s' },
    });
    expect(values(shape(`${head('v1beta4')}timeouts: null\n`))[0]).toMatchObject({
      timeouts: { discovery: '1m0s' },
    });
  });

  it.each([
    ['it is set', `${head('v1beta3')}discovery: {timeout: 5m0s}\n`],
    ['it is set in v1beta4', `${head('v1beta4')}timeouts: {discovery: 5m0s}\n`],
    ['there is no join', 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: InitConfiguration\n'],
    ['there is no discovery', head('v1beta2')],
    ['something else stands in its place', `${head('v1beta4')}timeouts: [1]\n`],
  ])('leaves the text as it is when %s', (_, text) => {
    expect(shape(text)).toBe(text);
  });

  it('changes the one value and no other, for any configuration in any style', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    // "<<" merges a mapping in; with anything else behind it, no program can read the text.
    const key = fc.string({ minLength: 1 }).filter((text) => text !== '<<');
    const body = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)), { maxKeys: 5 });
    const options = fc.record({
      isJson: fc.boolean(),
      indent: fc.constantFrom(2, 4),
      quoteStyle: fc.constantFrom('single' as const, 'double' as const),
    });
    fc.assert(
      fc.property(
        body,
        body,
        fc.constantFrom('v1beta2', 'v1beta3', 'v1beta4'),
        options,
        (rest, discovery, version, style) => {
          const { timeout: _, ...known } = discovery;
          const config = {
            ...rest,
            apiVersion: `kubeadm.k8s.io/${version}`,
            kind: 'JoinConfiguration',
            discovery: known,
          };
          delete (config as Record<string, unknown>).timeouts;
          const text = `---\napiVersion: v1\nkind: Other\n---\n${style.isJson ? JSON.stringify(config) : dump(config, style)}`;
          const [other, before] = values(text);
          const [sameOther, after] = values(shape(text));
          expect(sameOther).toEqual(other);
          const expected =
            version === 'v1beta4'
              ? { ...before, timeouts: { discovery: '1m0s' } }
              : { ...before, discovery: { ...known, timeout: '1m0s' } };
          expect(after).toEqual(expected);
        },
      ),
    );
  });
});
