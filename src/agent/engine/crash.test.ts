import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AgentDeath, killableHost } from '../../../test/support/killable-host.ts';
import { makeTinyRoot, removeRoot, type TinyRoot } from '../../../test/support/tiny-root.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { bootstrap } from '../bootstrap/bootstrap.ts';
import { JOURNAL, OUTCOME, SENTINEL } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';

const isRoot = process.getuid?.() === 0;

/** The first attempt fails late and leaves its traces, the second succeeds. Every call is counted. */
const KUBEADM = `#!/bin/sh
[ "$1" = version ] && exec echo v1.31.2
echo "$@" >> /calls
case $1 in
reset)
  for arg in "$@"; do case $arg in --cert-dir=*) certs=\${arg#--cert-dir=} ;; esac; done
  rm -rf /etc/kubernetes/manifests/* /var/lib/kubelet/* "$certs"/* /etc/kubernetes/*.conf ;;
init|join)
  echo '[preflight] Running pre-flight checks'
  echo '[kubelet-start] Writing kubelet configuration to file "/var/lib/kubelet/config.yaml"'
  echo config > /var/lib/kubelet/config.yaml
  echo ca > /etc/kubernetes/pki/ca.crt
  if [ ! -e /second ]; then
    : > /second
    echo left > /etc/kubernetes/bootstrap-kubelet.conf
    echo 'error execution phase kubelet-start: Get "https://127.0.0.1:1/api/v1/nodes/n": dial tcp 127.0.0.1:1: connect: connection refused' >&2
    exit 1
  fi
  mkdir -p /var/lib/kubelet/pki
  for file in /etc/kubernetes/kubelet.conf /var/lib/kubelet/pki/kubelet-client-current.pem; do echo "$1" > $file; done
  if [ $1 = init ]; then
    for file in admin.conf manifests/kube-apiserver.yaml; do echo init > /etc/kubernetes/$file; done
  fi ;;
esac
`;

const userData = (verb: 'init' | 'join'): string => `#cloud-config
write_files:
- {path: /etc/lab/one, content: "one\\n", permissions: "0640"}
- {path: /etc/kubernetes/manifests/lb.yaml, content: "a static pod\\n"}
bootcmd:
- echo boot >/booted
runcmd:
- echo before >>/commands; value=kept
- kubeadm ${verb} --ignore-preflight-errors=all ${verb === 'join' ? '127.0.0.1:1' : ''} && echo success > /run/cluster-api/bootstrap-success.complete
- echo "after $value" >>/commands
`;

const LANES = 8;
const DIRECTORIES = [
  'etc/kubernetes/manifests',
  'etc/kubernetes/pki',
  'var/lib/kubelet',
  'var/lib/etcd',
  'usr/bin',
];

function makeTemplate(): TinyRoot {
  const root = makeTinyRoot(['mkdir']);
  for (const directory of DIRECTORIES) mkdirSync(join(root.path, directory), { recursive: true });
  writeFileSync(join(root.path, 'usr/bin/kubeadm'), KUBEADM, { mode: 0o755 });
  return root;
}

/** A machine like the template; what no machine changes is shared. */
function makeMachine(template: TinyRoot): TinyRoot {
  const path = mkdtempSync(join(tmpdir(), 'slipway-crash-'));
  execFileSync('cp', ['-alT', template.path, path]);
  return { path, remove: () => removeRoot(path) };
}

/** Nobody waits: pauses between attempts are as good as over. */
function impatient(root: string): Host {
  const host = createLinuxHost({ root });
  const lock: Host['lock'] = async () => ({ release: async () => undefined });
  return { ...host, lock, random: () => 0.9999999 };
}

async function run(
  root: TinyRoot,
  verb: 'init' | 'join',
  death?: AgentDeath,
): Promise<{ written: number; died: boolean }> {
  const { host, dead, written } = killableHost(impatient(root.path), death);
  const file = join(root.path, 'user-data');
  writeFileSync(file, userData(verb));
  const verdict = bootstrap({
    host: { ...host, ownFiles: createLinuxHost().files },
    agent: 'test',
    userDataFile: file,
    deadlineSeconds: 120,
    stop: new AbortController().signal,
    watcher: { record: () => undefined, output: () => undefined },
    verdict: { fault: new Promise<never>(() => undefined), unwritten: () => undefined },
  });
  const end = await Promise.race([verdict, dead]);
  return { written: written(), died: end === undefined };
}

/** Everything that lies on the machine, but for what tells when and how often: modes, links, contents. */
function machineState(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/^(?:bin|lib|lib64|usr|dev|proc|user-data)(?:\/|$)/.test(name) || `/${name}` === JOURNAL) continue;
    const path = join(root, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) found[name] = `-> ${readlinkSync(path)}`;
    else if (stat.isFile()) found[name] = `${(stat.mode & 0o7777).toString(8)} ${contentOf(name, path)}`;
    else found[name] = `${(stat.mode & 0o7777).toString(8)} other`;
  }
  return found;
}

function contentOf(name: string, path: string): string {
  const text = readFileSync(path, 'utf8');
  if (`/${name}` !== OUTCOME) return text;
  const { result, exitStatus, mode, findings, steps } = JSON.parse(text) as Outcome;
  return JSON.stringify({
    result,
    exitStatus,
    mode,
    findings,
    steps: steps.map((step) => [step.id, step.result]),
  });
}

/** They wait more than they work, so several machines are at it at the same time. */
async function inLanes(deaths: AgentDeath[], work: (death: AgentDeath) => Promise<void>): Promise<void> {
  const rest = [...deaths];
  const lane = async (): Promise<void> => {
    for (let next = rest.shift(); next; next = rest.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

describe.runIf(isRoot).concurrent.each(['init', 'join'] as const)(
  'an agent killed at any record of %s',
  (verb) => {
    it('leaves a machine on which the next one comes to the same end', async ({ onTestFinished }) => {
      const template = makeTemplate();
      onTestFinished(() => template.remove());
      const untouched = makeMachine(template);
      const { written } = await run(untouched, verb);
      const wanted = machineState(untouched.path);
      untouched.remove();
      expect(written).toBeGreaterThan(12);
      expect(wanted[SENTINEL.slice(1)]).toBe('644 success\n');
      expect(wanted.commands).toBe('644 before\nafter kept\n');
      expect(wanted['etc/kubernetes/manifests/lb.yaml']).toBe('644 a static pod\n');
      expect(wanted.calls?.split('\n').filter((call) => call.split(' ').includes(verb))).toHaveLength(2);
      const deaths = Array.from({ length: written }, (_, i) => i + 1).flatMap((at) => [
        { at, how: 'torn' } as const,
        { at, how: 'after' } as const,
      ]);
      await inLanes(deaths, async (death) => {
        const machine = makeMachine(template);
        const told = `killed at record ${death.at} (${death.how})`;
        expect(await run(machine, verb, death), told).toMatchObject({ died: true });
        await run(machine, verb);
        expect(machineState(machine.path), told).toEqual(wanted);
        machine.remove();
      });
    }, 900_000);
  },
);
