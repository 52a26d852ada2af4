import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { expect, it } from 'vitest';
import { root } from '../project.ts';
import { components } from './components.ts';

/** A path of an image's name: parts of lower case letters and digits, with single separators inside. */
const PART = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * Why clusterctl does not take an image's name; undefined where it does. It reads all names of what it installs before any
 * override, by the rules of containers/distribution, and refuses whatever normalisation would change: the first part must be a
 * registry, which has a dot or a port or is localhost, and docker.io's own images stand below `library`.
 */
function whyRefused(image: string): string | undefined {
  const [name = '', digest] = image.split('@');
  const slash = name.indexOf('/');
  const registry = name.slice(0, slash === -1 ? 0 : slash);
  if (!/[.:]/.test(registry) && registry !== 'localhost') return 'repository name must be canonical';
  if (registry === 'index.docker.io') return 'repository name must be canonical';
  const [path = '', tag] = name.slice(slash + 1).split(':');
  if (registry === 'docker.io' && !path.includes('/')) return 'repository name must be canonical';
  const isWell = path.split('/').every((part) => PART.test(part));
  const isTagged = (tag === undefined || TAG.test(tag)) && (digest === undefined || DIGEST.test(digest));
  return isWell && isTagged ? undefined : 'invalid reference format';
}

it.each([
  ['slipway-controller:v0.1.0', 'canonical'],
  ['team/slipway-controller:v0.1.0', 'canonical'],
  ['docker.io/slipway-controller:v0.1.0', 'canonical'],
  ['registry.example/Slipway:v0.1.0', 'invalid'],
  ['registry.example/slipway:-x', 'invalid'],
])('the rules refuse %s', (image, why) => {
  expect(whyRefused(image)).toContain(why);
});

it.each([
  'docker.io/library/slipway-controller:v0.1.0',
  'localhost/slipway-controller',
  'registry.example:5000/a/b_c:v1',
  `registry.example/a@sha256:${'0'.repeat(64)}`,
])('the rules take %s', (image) => {
  expect(whyRefused(image)).toBeUndefined();
});

const FILES = ['manifests/approver/deployment.yaml', 'manifests/approver/workload/deployment.yaml'];

it.each([
  ['what clusterctl installs', components()],
  ...FILES.map((file) => [file, readFileSync(join(root, file), 'utf8')]),
])('clusterctl reads every image of %s', (_what, text = '') => {
  const images = loadAll(text).flatMap((object) => imagesIn(object));
  expect(images).not.toEqual([]);
  expect(images.map(whyRefused)).toEqual(images.map(() => undefined));
});

function imagesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'image' && typeof inner === 'string' ? [inner] : imagesIn(inner),
  );
}
