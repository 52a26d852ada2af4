import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary, root } from '../../project.ts';
import { bundle } from '../bundle.ts';
import { PART_NAMES } from './linker.ts';
import { type AgentPart, agentParts } from './parts.ts';

/** Of a module in the bundle that only hands on what others have: `var a=b(()=>{"use strict";c()});`. */
const EMPTY = 32;
/** Of the whole agent when it knew one source and one format (d19efee). */
const BEFORE = 754_098;

describe('parts', () => {
  let folder: string;
  let parts: readonly AgentPart[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-parts-'));
    parts = await agentParts();
    for (const { name, code } of parts) writeFileSync(join(folder, name), code);
    writeFileSync(join(folder, 'run.mjs'), RUN);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('hold all of the agent, each module once, so that none is evaluated twice', async () => {
    expect(parts.map(({ name }) => name)).toEqual(PART_NAMES);
    const inputs = parts.flatMap((part) => part.inputs).sort();
    expect(inputs).toEqual([...new Set(inputs)]);
    // Where modules only hand on what others have, nothing is left of them.
    const { metafile } = await bundle();
    const whole = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
    const lacking = whole.filter(
      ([path, { bytesInOutput }]) => bytesInOutput > EMPTY && !inputs.includes(path),
    );
    expect(lacking.filter(([path]) => /^(?:src|node_modules)\//.test(path))).toEqual([]);
  });

  it('are the same every time, without a folder of the machine that built them', async () => {
    const again = await agentParts();
    // Not toEqual on the code itself: a failure would print all of it.
    expect(again.map(({ code }, index) => code === parts[index]?.code)).toEqual(PART_NAMES.map(() => true));
    expect(parts.filter(({ code }) => code.includes(root)).map(({ name }) => name)).toEqual([]);
  });

  it('which a boot reads are a quarter larger at most than the agent of one source and one format was', () => {
    const [main = 0, node = 0] = parts.map(({ code }) => code.length);
    expect(main).toBeLessThan(BEFORE * 0.75);
    expect(main + node).toBeLessThan(BEFORE * 1.25);
  });

  it('have all that their chunks take of each other', () => {
    // Every chunk is evaluated, and each name that another one binds has to be there.
    const { stdout } = execaSync(nodeBinary(), [join(folder, 'run.mjs')], { env: { TAKE_ALL: '1' } });
    expect(Number(/\d+$/.exec(stdout)?.[0])).toBeGreaterThan(300);
  });

  it('files need the first one alone', () => {
    const root = image('');
    writeFileSync(join(folder, 'files'), FILES);
    const { exitCode, stderr } = run('bootstrap', '--root', root, '--user-data', join(folder, 'files'));
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('files done'),
    });
    expect(readIn(stderr)).toEqual(['main']);
  });

  it('a boot from NoCloud with kubeadm reads no more than the first two', () => {
    const root = image(USER_DATA);
    const planned = run('plan', '--root', root);
    // The image has no programs.
    expect(planned).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/useradd is not on this machine/),
    });
    expect(planned.stdout).toContain('kubeadm join');
    expect(readIn(planned.stderr)).toEqual(['main', 'node']);
    const applied = run('bootstrap', '--root', root);
    expect(applied.stderr).toContain('[KubeadmNotFound]');
    expect(readIn(applied.stderr)).toEqual(['main', 'node']);
  });

  it('so do the steps that each machine has besides', () => {
    const { exitCode, stderr } = run('bootstrap', '--root', image(HOST_KEYS));
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('ssh/host-keys done'),
    });
    expect(readIn(stderr)).toEqual(['main', 'node']);
  });

  it('what a boot does without comes from the last one', () => {
    const { exitCode, stdout, stderr } = run('explain', 'KubeadmNotFound');
    expect({ exitCode, parts: readIn(stderr) }).toEqual({ exitCode: 0, parts: ['main', 'later'] });
    expect(stdout).toContain('KubeadmNotFound');
    const ignition = join(folder, 'ignition');
    writeFileSync(ignition, '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"a"}]}}');
    expect(run('check', ignition).stdout).toContain('$.storage.files.0.path');
  });

  const readIn = (stderr: string) => [...stderr.matchAll(/^part (\w+)$/gm)].map(([, name]) => name);

  const run = (...words: string[]) =>
    execaSync(nodeBinary(), [join(folder, 'run.mjs'), ...words], { reject: false, extendEnv: false });

  /** A root with an image's cloud.cfg, whose user data lie in NoCloud's seed. */
  function image(userData: string): string {
    const root = mkdtempSync(join(folder, 'root-'));
    const seed = join(root, 'var/lib/cloud/seed/nocloud');
    for (const path of [seed, join(root, 'etc/cloud')]) mkdirSync(path, { recursive: true });
    writeFileSync(join(root, 'etc/os-release'), 'ID=debian\n');
    writeFileSync(join(root, 'etc/cloud/cloud.cfg'), 'users: [{name: ops}]\ndisable_root: true\n');
    writeFileSync(join(seed, 'meta-data'), 'instance-id: a\nlocal-hostname: a\n');
    writeFileSync(join(seed, 'user-data'), userData);
    return root;
  }
});

/** Says on standard error what is read. */
const RUN = `
import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { runParts } from ${JSON.stringify(join(import.meta.dirname, 'linker.ts'))};
const strict = (id, exported) => new Proxy(exported, {
  get: (all, name) => {
    if (name !== 'then' && !(name in all)) throw new Error(id + ' has no ' + String(name));
    return all[name];
  },
});
const read = (name) => {
  const part = runInThisContext(readFileSync(import.meta.dirname + '/' + name, 'latin1'));
  if (!process.env.TAKE_ALL) {
    process.stderr.write('part ' + name + '\\n');
    return part;
  }
  return (take, ...more) => {
    const chunks = part(take, ...more);
    const seen = Object.entries(chunks).map(([id, make]) => [id, () => strict(id, make())]);
    if (name === 'main') setImmediate(() => takeAll(take, Object.keys(chunks)));
    return Object.fromEntries(seen);
  };
};
const takeAll = (take, ids) => {
  for (const id of ids) take(id);
  for (const letter of ['n', 'l'])
    for (let at = 0; ; at += 1) {
      const one = take(letter + at);
      if (one === undefined) break;
      ids.push(letter + at);
    }
  process.stdout.write(String(ids.length));
  process.exit();
};
runParts(read);
`;

const HOST_KEYS = `#cloud-config
slipway: {kubeadm: none}
users: []
ssh_genkeytypes: [ed25519]
write_files: [{path: /etc/a, content: a}]
`;

const FILES = `#cloud-config
slipway: {kubeadm: none}
users: []
write_files: [{path: /etc/a, content: a}]
`;

const USER_DATA = `## template: jinja
#cloud-config
write_files:
- path: /run/kubeadm/kubeadm-join-config.yaml
  content: |
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: JoinConfiguration
    discovery:
      bootstrapToken:
        apiServerEndpoint: 10.0.0.1:6443
        token: abcdef.0123456789abcdef
        caCertHashes: ["sha256:${'0'.repeat(64)}"]
runcmd:
- kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml && echo success > /run/cluster-api/bootstrap-success.complete
`;
