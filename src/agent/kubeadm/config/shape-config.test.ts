import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { shapeConfig } from './shape-config.ts';

const shape = (text: string) => shapeConfig(text, { discoveryTimeoutSeconds: 60 });
const values = (text: string) =>
  parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS());

const head = (version: string) => `apiVersion: kubeadm.k8s.io/${version}\nkind: JoinConfiguration\n`;

describe('shapeConfig', () => {
  it('sets discovery.timeout up to v1beta3, and touches nothing else', () => {
    const text = `---\n# made by hand\n${head('v1beta3')}discovery:\n  # who\n  bootstrapToken:\n    token: 'abcdef.0123456789abcdef'\n...\n`;
    expect(shape(text)).toBe(text.replace('  bootstrapToken:', '  timeout: 1m0s\n  bootstrapToken:'));
  });

  it('sets timeouts.discovery from v1beta4 on', () => {
    const text = `${head('v1beta4')}discovery: {}\n`;
    expect(values(shape(text))[0]).toEqual({ ...values(text)[0], timeouts: { discovery: '1m0s' } });
    const partly = `${head('v1beta4')}timeouts:\n    tlsBootstrap: 5m0s # long\n`;
    expect(shape(partly)).toBe(partly.replace('    tls', '    discovery: 1m0s\n    tls'));
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
    ['the place is an alias', `${head('v1beta3')}x: &d {a: b}\ndiscovery: *d\n`],
    ['the first key is not plain', `${head('v1beta3')}discovery:\n  ? bootstrapToken\n  : {}\n`],
  ])('leaves the text as it is when %s', (_, text) => {
    expect(shape(text)).toBe(text);
  });

  it('changes the one value and no other, for any configuration in any style', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    // "<<" merges a mapping in; with anything else behind it, no program can read the text.
    const key = fc.string({ minLength: 1 }).filter((text) => text !== '<<');
    const body = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)), { maxKeys: 5 });
    const options = fc.record({
      collectionStyle: fc.constantFrom('any' as const, 'flow' as const, 'block' as const),
      indent: fc.constantFrom(2, 4),
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
          const text = `---\napiVersion: v1\nkind: Other\n---\n${stringify(config, { ...style, version: '1.1' })}`;
          const [other, before] = values(text);
          const [sameOther, after] = values(shape(text));
          expect(sameOther).toEqual(other);
          const expected =
            version === 'v1beta4'
              ? { ...before, timeouts: { discovery: '1m0s' } }
              : { ...before, discovery: { ...before.discovery, timeout: '1m0s' } };
          expect(after).toEqual(expected);
        },
      ),
    );
  });
});
