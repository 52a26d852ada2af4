import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../../test/support/tiny-root.ts';
import type { JournalRecord } from '../../../protocol/journal.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { bootstrap } from '../../bootstrap/bootstrap.ts';
import { describeRecord } from '../../cli/text/describe-record.ts';
import { SENTINEL } from '../../document/paths.ts';
import { type Host, HostError } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';

/** A join or an init that succeeds; a second call on a node, and any reset, would spoil it. */
const KUBEADM = `#!/bin/sh
[ "$1" = version ] && exec echo v1.31.2
echo "$1" >> /calls
case $1 in
reset) rm -rf /etc/kubernetes/*.conf /var/lib/kubelet/* ;;
init|join)
  mkdir -p /var/lib/kubelet/pki /etc/kubernetes/manifests
  for file in kubelet.conf admin.conf manifests/kube-apiserver.yaml; do echo "$1" > /etc/kubernetes/$file; done
  echo "$1" > /var/lib/kubelet/pki/kubelet-client-current.pem ;;
esac
`;
/** What the step waits between its attempts, without chance. */
const PAUSES = [2_000, 4_000, 8_000, 16_000, 30_000];
const READ_ONLY = `${SENTINEL}: read-only file system`;

describe('a sentinel that cannot be written', () => {
  let root: TinyRoot;
  /** How often the file system still refuses it. */
  let refusals: number;
  /** The disk takes no note of kubeadm's success. */
  let isFull: boolean;
  let waits: number[];
  let told: string[];
  beforeEach(() => {
    root = makeTinyRoot(['mkdir', 'rm']);
    for (const directory of ['usr/bin', 'etc/kubernetes', 'var/lib/kubelet'])
      mkdirSync(join(root.path, directory), { recursive: true });
    writeFileSync(join(root.path, 'usr/bin/kubeadm'), KUBEADM, { mode: 0o755 });
    refusals = Number.POSITIVE_INFINITY;
    isFull = false;
    waits = [];
    told = [];
  });
  afterEach(() => root.remove());

  /** Its clock goes on by what is waited for, at once. */
  function machine(): Host {
    const host = createLinuxHost({ root: root.path });
    let waited = 0;
    return {
      ...host,
      random: () => 0,
      lock: async () => ({ release: async () => undefined }),
      files: {
        ...host.files,
        async write(path, content, options) {
          if (path.endsWith('/kubeadm-succeeded') && isFull)
            throw new HostError(`Writing ${path}: no space left on device`, 'ENOSPC', path);
          if (path === SENTINEL && refusals > 0) {
            refusals -= 1;
            throw new HostError(`Writing ${READ_ONLY}`, 'EROFS', path);
          }
          return host.files.write(path, content, options);
        },
      },
      clock: {
        ...host.clock,
        monotonic: () => host.clock.monotonic() + waited,
        async sleep(ms, signal) {
          if (!PAUSES.includes(ms)) return host.clock.sleep(ms, signal);
          waited += ms;
          waits.push(ms);
        },
      },
    };
  }

  async function run(verb: 'init' | 'join' = 'join', deadlineSeconds = 90): Promise<Outcome> {
    const file = join(root.path, 'user-data');
    const endpoint = verb === 'join' ? '127.0.0.1:1 ' : '';
    writeFileSync(
      file,
      `#cloud-config\nruncmd:\n- kubeadm ${verb} ${endpoint}&& echo success > ${SENTINEL}\n- echo >/after\n`,
    );
    return bootstrap({
      host: { ...machine(), ownFiles: createLinuxHost().files },
      agent: 'test',
      userDataFile: file,
      deadlineSeconds,
      stop: new AbortController().signal,
      watcher: {
        record: (record: JournalRecord) => void told.push(describeRecord(record) ?? ''),
        output: () => undefined,
      },
      verdict: { fault: new Promise<never>(() => undefined), unwritten: () => undefined },
    });
  }

  const calls = (): string => readFileSync(join(root.path, 'calls'), 'utf8');
  const has = (path: string): boolean => existsSync(join(root.path, path));

  it.each([
    ['join', 'The machine has joined the cluster'],
    ['init', 'The machine has become a control plane'],
  ] as const)('is told as that after %s, and the node is left as it is', async (verb, became) => {
    const outcome = await run(verb);
    expect(outcome).toMatchObject({
      result: 'deadline-exceeded',
      step: 'sentinel',
      failure: {
        code: 'SentinelNotWritten',
        cause: `${became}, but its sentinel cannot be written: ${READ_ONLY}.`,
      },
    });
    expect(outcome.steps.map(({ id, result }) => `${id} ${result}`)).toEqual([
      'preflight done',
      'kubeadm done',
      'sentinel failed',
      'runcmd/2 not run',
      'ready not run',
    ]);
    expect(told.filter((line) => line.includes('kubeadm failed'))).toEqual([]);
    expect(waits).toEqual(PAUSES);
    expect(calls()).toBe(`${verb}\n`);
    expect(has('/etc/kubernetes/kubelet.conf')).toBe(true);
  });

  it('comes as soon as it can be written, and all that follows with it', async () => {
    refusals = 3;
    expect(await run()).toMatchObject({ result: 'succeeded' });
    expect(waits).toEqual([2_000, 4_000, 8_000]);
    expect(readFileSync(join(root.path, SENTINEL), 'utf8')).toBe('success\n');
    expect(has('/after')).toBe(true);
    expect(calls()).toBe('join\n');
  });

  it('undoes no node that the disk took no note of', async () => {
    isFull = true;
    refusals = 1;
    expect(await run()).toMatchObject({ result: 'succeeded' });
    expect(calls()).toBe('join\n');
  });

  it('is all that the next start makes up for', async () => {
    await run('join', 10);
    told = [];
    refusals = 0;
    expect(await run()).toMatchObject({ result: 'succeeded' });
    expect(calls()).toBe('join\n');
    expect(readFileSync(join(root.path, SENTINEL), 'utf8')).toBe('success\n');
  });

  it('is told in the same words when a reboot has emptied /run', async () => {
    refusals = 0;
    await run();
    rmSync(join(root.path, dirname(SENTINEL)), { recursive: true });
    refusals = Number.POSITIVE_INFINITY;
    expect(await run()).toMatchObject({
      result: 'transient',
      failure: {
        code: 'SentinelNotWritten',
        cause: `The machine has joined the cluster, but its sentinel cannot be written: ${READ_ONLY}.`,
      },
    });
    expect(calls()).toBe('join\n');
  });
});
