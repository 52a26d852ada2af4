import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_SHA256 } from '../../../build/platforms.ts';

interface Sbom {
  bomFormat: string;
  metadata: { component: { name: string; hashes: { content: string }[] } };
  components: Component[];
}

interface Component {
  name: string;
  version: string;
  hashes?: { alg: string; content: string }[];
  pedigree?: { ancestors: Component[]; notes: string };
}

interface Statement {
  _type: string;
  predicateType: string;
  subject: { name: string; digest: { sha256: string } }[];
  predicate: {
    buildDefinition: { resolvedDependencies: { name?: string; digest: { gitCommit?: string } }[] };
  };
}

/** SBOMs and provenance tell the truth about the files beside them. */
export function expectDescribed(made: string): void {
  const sum = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(made, name)))
      .digest('hex');
  const read = <Form>(name: string) => JSON.parse(readFileSync(join(made, name), 'utf8')) as Form;

  for (const [binary, own, platform] of [
    ['slipway-linux-x64', 'smol-toml', 'linux-x64'],
    ['slipway-linux-arm64', 'smol-toml', 'linux-arm64'],
    ['slipway-windows-x64.exe', 'smol-toml', 'windows-x64'],
    ['slipway-controller-linux-x64', 'undici', 'linux-x64'],
    ['slipway-controller-linux-arm64', 'undici', 'linux-arm64'],
  ] as const) {
    const { bomFormat, metadata, components } = read<Sbom>(`${binary}.cdx.json`);
    assert.equal(bomFormat, 'CycloneDX');
    assert.equal(metadata.component.hashes[0]?.content, sum(binary));
    const names = components.map(({ name }) => name);
    for (const name of ['commander', 'js-yaml', own, 'node', 'v8', 'openssl', 'uv', 'zlib'])
      assert.ok(names.includes(name), `${binary} holds ${name}`);
    assert.ok(!names.includes(own === 'undici' ? 'smol-toml' : 'vitest'));
    const node = components.find(({ name }) => name === 'node');
    const [upstream, ...others] = node?.pedigree?.ancestors ?? [];
    assert.deepEqual(others, []);
    assert.equal(upstream?.hashes?.[0]?.content, NODE_SHA256[platform]);
    assert.match(node?.hashes?.[0]?.content ?? '', /^[0-9a-f]{64}$/);
    assert.notEqual(node?.hashes?.[0]?.content, NODE_SHA256[platform]);
    assert.match(
      node?.pedigree?.notes ?? '',
      /postject 1\.[\w.-]+: (?:one note section|a resource) with the blob/,
    );
  }

  const { _type, predicateType, subject, predicate } = read<Statement>('provenance.intoto.json');
  assert.equal(_type, 'https://in-toto.io/Statement/v1');
  assert.equal(predicateType, 'https://slsa.dev/provenance/v1');
  for (const { name, digest } of subject) assert.equal(digest.sha256, sum(name), name);
  const apart = ['provenance.intoto.json', 'verify.sh', 'SHA256SUMS', 'SHA256SUMS.minisig'];
  const names = readdirSync(made).filter((name) => !apart.includes(name));
  assert.deepEqual(subject.map(({ name }) => name).sort(), names.sort());
  const commit = predicate.buildDefinition.resolvedDependencies.find(({ name }) => name === 'slipway');
  const signed = / commit ([0-9a-f]{40})$/m.exec(readFileSync(join(made, 'SHA256SUMS.minisig'), 'utf8'));
  assert.equal(commit?.digest.gitCommit, signed?.[1]);
}
