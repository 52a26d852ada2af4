import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary } from '../../project.ts';
import { asFunction, type Bundle, bundle } from '../bundle.ts';
import { LATER_PART } from './later.ts';
import { parts } from './parts.ts';

/** Of the whole agent when it knew one source and one format (d19efee). */
const BEFORE = 754_098;

describe('parts', () => {
  let folder: string;
  let [whole, main, later] = [] as unknown as [Bundle, Bundle, Bundle];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-parts-'));
    whole = await bundle();
    ({ main, later } = await parts(whole));
    writeFileSync(join(folder, 'main'), asFunction(main.code));
    writeFileSync(join(folder, 'later'), asFunction(later.code));
    writeFileSync(join(folder, 'run.cjs'), RUN);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('hold each module once, so that none is evaluated twice', () => {
    expect([...main.inputs, ...later.inputs].sort()).toEqual(whole.inputs.toSorted());
  });

  it('main is a quarter larger at most than the agent of one source and one format was', () => {
    expect(main.code.length).toBeLessThan(BEFORE * 1.25);
  });

  it('a boot from NoCloud with kubeadm reads main alone', () => {
    const root = image(USER_DATA);
    const planned = run('plan', '--root', root);
    // The image has no programs.
    expect(planned).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^.*useradd is not on this machine.*$/),
    });
    expect(planned.stderr).not.toContain(LATER_PART);
    expect(planned.stdout).toContain('kubeadm join');
    const applied = run('bootstrap', '--root', root);
    expect(applied.stderr).toContain('[KubeadmNotFound]');
    expect(applied.stderr).not.toContain(LATER_PART);
  });

  it('so do the steps that each machine has besides', () => {
    const { exitCode, stderr } = run('bootstrap', '--root', image(NO_NODE));
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('ssh/host-keys done'),
    });
    expect(stderr).not.toContain(LATER_PART);
  });

  it('what is behind a door comes from the later part, with what both parts need', () => {
    const { exitCode, stdout, stderr } = run('explain', 'KubeadmNotFound');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: LATER_PART });
    expect(stdout).toContain('KubeadmNotFound');
    const ignition = join(folder, 'ignition');
    writeFileSync(ignition, '{"ignition":{"version":"3.4.0"},"storage":{"files":[{"path":"a"}]}}');
    expect(run('check', ignition).stdout).toContain('$.storage.files.0.path');
  });

  const run = (...words: string[]) =>
    execaSync(nodeBinary(), [join(folder, 'run.cjs'), ...words], { reject: false, extendEnv: false });

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

/** Says on standard error that the later part is read. */
const RUN = `
const { readFileSync } = require('node:fs');
const part = (name) => require('node:vm').runInThisContext(readFileSync(__dirname + '/' + name, 'latin1'));
part('main')({}, (name) => {
  if (name !== '${LATER_PART}') return process.getBuiltinModule(name);
  process.stderr.write(name);
  return part('later');
}, {});
`;

const NO_NODE = `#cloud-config
slipway: {kubeadm: none}
users: []
ssh_genkeytypes: [ed25519]
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
