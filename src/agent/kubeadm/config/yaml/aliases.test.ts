import { describe, expect, it } from 'vitest';
import { KubeadmError } from '../../kubeadm-error.ts';
import { checkConfig } from '../api/check.ts';
import { readDocuments } from './config-documents.ts';

const HEAD = 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: InitConfiguration\n';
const laughs = (levels: number): string =>
  Array.from({ length: levels }, (_, level) =>
    level === 0
      ? 'a0: &a0 [l, l, l]\n'
      : `a${level}: &a${level} [${Array(9)
          .fill(`*a${level - 1}`)
          .join(', ')}]\n`,
  ).join('');

describe('aliases in a kubeadm configuration', () => {
  it('stand for what had their anchor last', () => {
    const text = `${HEAD}nodeRegistration: {name: &n a, criSocket: *n, taints: [&n b, *n, *none]}\n`;
    const [document] = readDocuments(text, 'f');
    expect([...(document?.targets.values() ?? [])].map(String)).toEqual(['a', 'b']);
  });

  it('are refused where they multiply, with the place of the document', () => {
    expect(() => readDocuments(`${HEAD}${laughs(12)}`, 'f')).toThrow(KubeadmError);
    expect(() => readDocuments(`${HEAD}x: &a [*a]\n`, 'f')).toThrow(/multiply it beyond all bounds \(line 1/);
    expect(() => checkConfig('init', readDocuments(`${HEAD}${laughs(4)}`, 'f'))).not.toThrow();
  });

  it('are followed in one pass, however many there are', () => {
    const many = `${HEAD}x: &x [a]\ny: [${Array(20_000).fill('*x').join(', ')}]\n`;
    const documents = readDocuments(many, 'f');
    expect(documents[0]?.targets.size).toBe(20_000);
    expect(checkConfig('init', documents)).toHaveLength(2);
  });
});
