import { describe, expect, it } from 'vitest';
import { baseNode } from '../binary/base/base-node.ts';
import { bundle } from '../binary/bundle.ts';
import { packagesOf } from '../binary/licenses.ts';
import { sbom } from './sbom.ts';

interface Listed {
  components: { name: string; version: string; purl?: string }[];
}

describe('SBOM', () => {
  it('lists every package of the bundle in each of its versions', async () => {
    const about = { program: 'slipway', platform: 'linux-x64', date: '2026-01-01T00:00:00Z' } as const;
    // Any program with the Node.js of its package will do: Node.js itself is one.
    const text = await sbom({ ...about, path: baseNode('linux-x64').path });
    const { components } = JSON.parse(text) as Listed;
    const listed = components
      .filter(({ purl = '' }) => purl.startsWith('pkg:npm/') && !purl.includes('node-linux'))
      .map(({ name, version }) => `${name} ${version}`);
    const { inputs } = await bundle();
    expect(listed.sort()).toEqual(
      packagesOf(inputs)
        .map(({ name, version }) => `${name} ${version}`)
        .sort(),
    );
    expect(listed.filter((one) => one.startsWith('@noble/curves '))).toHaveLength(2);
  });
});
