import { expect, it } from 'vitest';
import { type Callers, findCallers } from '../../callers/find-callers.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readDocument } from '../../userdata/fixtures/read-document.ts';
import type { Shared } from '../kind/shared.ts';
import { lookForNode, seeNode } from './see-node.ts';

const CONFIG = '/etc/kubernetes/kubelet.conf';
const CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';
const SENTINEL = '/run/cluster-api/bootstrap-success.complete';
const REFUSED =
  '[preflight] Running pre-flight checks\nerror execution phase preflight: couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"\nTo see the stack trace of this error execute with --v=5 or higher\n';

/** A machine whose clock the test turns: `at` runs at the second of its name. */
class Machine {
  files = new Set<string>();
  removed: string[] = [];
  written: string[] = [];
  /** What systemd says of each unit. */
  units: Record<string, Record<string, string>> = {};
  journal: Record<string, string> = {};
  /** Arguments of each process by its number. */
  processes: Record<string, string[]> = {};
  texts: Record<string, string> = {};
  at: Record<number, () => void> = {};
  seconds = 0;
  deadline = 30;
  /** The processes are a user's, or a container's. */
  others: 'user' | 'container' | undefined;
  /** systemd gives no answer. */
  isSilent = false;
  asked: string[] = [];
  /** A kubeadm join of root is running. */
  kubeadm = false;
  progress: string[] = [];
  findings: string[] = [];
  readonly #stop = new AbortController();

  context(): StepContext {
    return {
      host: this.#host(),
      signal: this.#stop.signal,
      progress: async (message: string) => void this.progress.push(message),
      finding: async ({ code }: { code: string }) => void this.findings.push(code),
    } as unknown as StepContext;
  }

  #host(): Host {
    const real = createLinuxHost();
    const stat = async (path: string) =>
      this.files.has(path) || path in this.texts
        ? { kind: 'file', size: this.texts[path]?.length ?? 1 }
        : undefined;
    const said = (stdout: string) => ({ exitStatus: 0, stdout, stderr: '', timedOut: false, ms: 1 });
    return {
      ...real,
      files: {
        ...real.files,
        stat,
        readFrom: async (path: string) => Buffer.from(this.texts[path] ?? ''),
        remove: async (path: string) => {
          this.files.delete(path);
          this.removed.push(path);
        },
        write: async (path: string) => {
          this.files.add(path);
          this.written.push(path);
        },
      },
      ownFiles: {
        ...real.ownFiles,
        list: async (path: string) =>
          path === '/proc' ? [...Object.keys(this.processes), ...(this.kubeadm ? ['99'] : [])] : [],
        readIfPresent: async (path: string) => {
          if (path === '/proc/99/cmdline') return Buffer.from('/usr/bin/kubeadm\0join\0');
          if (path.endsWith('/status'))
            return Buffer.from(
              this.others === 'user' ? 'Uid:\t1000\t1000\t1000\t1000\n' : 'Uid:\t0\t0\t0\t0\n',
            );
          const args = this.processes[/^\/proc\/(\d+)\/cmdline$/.exec(path)?.[1] ?? ''];
          return args && Buffer.from(`${args.join('\0')}\0`);
        },
        readlink: async (path: string) => {
          if (path.endsWith('/exe')) return '/usr/bin/kubeadm';
          return this.others === 'container' && !path.startsWith('/proc/self/') ? 'pid:[2]' : 'pid:[1]';
        },
      },
      clock: {
        ...real.clock,
        monotonic: () => 1000 * this.seconds,
        sleep: async () => {
          this.seconds += 1;
          this.at[this.seconds]?.();
          if (this.seconds >= this.deadline) this.#stop.abort();
        },
      },
      processes: {
        ...real.processes,
        run: async ({ argv }: { argv: readonly string[] }) => {
          if (argv[0] === 'systemctl') {
            this.asked.push(...argv.slice(argv.indexOf('--') + 1));
            if (this.isSilent) return { ...said(''), exitStatus: 124, timedOut: true };
            const blocks = argv.slice(argv.indexOf('--') + 1).map((name) => {
              const state = { ActiveState: 'inactive', SubState: 'dead', Id: name, ...this.units[name] };
              return Object.entries(state)
                .map(([key, value]) => `${key}=${value}`)
                .join('\n');
            });
            return said(blocks.join('\n\n'));
          }
          const invocation =
            argv.find((word) => word.startsWith('_SYSTEMD_INVOCATION_ID='))?.split('=')[1] ?? '';
          return said(this.journal[invocation] ?? '');
        },
      },
    } as unknown as Host;
  }
}

const callersIn = (text: string): Callers | undefined =>
  findCallers(readDocument(Buffer.from(text), { source: 'test', metaData: {} }));

const SCRIPT = callersIn(
  "#cloud-config\nwrite_files:\n- path: /opt/j.sh\n  permissions: '0755'\n  content: |\n    #!/bin/sh\n    kubeadm join --config /a\nruncmd:\n- nohup /opt/j.sh >/var/log/j.log 2>&1 &\n",
);
const UNIT = callersIn(
  '#cloud-config\nwrite_files:\n- path: /etc/systemd/system/kj.service\n  content: |\n    [Service]\n    ExecStart=/usr/bin/kubeadm join --config /a\nruncmd:\n- systemctl start --no-block kj.service\n',
);

const shared = (callers: Callers | undefined, printed = '') =>
  ({ callers, background: () => [], printed: () => printed }) as unknown as Shared;

function see(machine: Machine, callers: Callers | undefined, printed = ''): Promise<StepResult> {
  return seeNode({ verb: 'join' }, shared(callers, printed)).run(machine.context());
}

const joined = (machine: Machine) => () => {
  machine.files.add(CONFIG);
  machine.files.add(CERTIFICATE);
};

const failureOf = (result: StepResult) => ('failure' in result ? result.failure : undefined);

it('fails at once where the commands have ended and the kubelet has no certificate', async () => {
  for (const paths of [[], [CONFIG]]) {
    const machine = new Machine();
    for (const path of paths) machine.files.add(path);
    const result = await see(machine, SCRIPT);
    expect(result).toMatchObject({ done: false, retry: 'no', isFinal: true });
    expect(failureOf(result)).toMatchObject({
      code: 'KubeadmNotTakenOver',
      cause: expect.stringContaining('kubeadm join, which /opt/j.sh calls, has made no node'),
    });
    expect(machine.seconds).toBe(0);
  }
});

it('says what kubeadm printed, on the console of the commands or in the file they name', async () => {
  expect(failureOf(await see(new Machine(), SCRIPT, REFUSED))).toMatchObject({ code: 'TokenUnknown' });
  const machine = new Machine();
  machine.texts['/var/log/j.log'] = REFUSED;
  expect(failureOf(await see(machine, SCRIPT))).toMatchObject({ code: 'TokenUnknown' });
  const unread =
    'unable to read config from "/nope.yaml" : open /nope.yaml: no such file or directory\nTo see the stack trace of this error execute with --v=5 or higher\njoined\n';
  expect(failureOf(await see(new Machine(), SCRIPT, unread))).toMatchObject({
    code: 'KubeadmConfigNotFound',
  });
});

it('is done where the kubelet has its certificate, and then keeps the sentinel', async () => {
  const machine = new Machine();
  joined(machine)();
  expect(await see(machine, SCRIPT)).toEqual({ done: true });
  expect(machine.written).toEqual([SENTINEL]);
  // A reboot empties /run.
  machine.files.delete(SENTINEL);
  machine.written = [];
  const step = seeNode({ verb: 'join' }, shared(SCRIPT));
  const { host } = machine.context();
  await step.settled?.(host, false);
  expect(machine.written).toEqual([]);
  await step.settled?.(host, true);
  expect(machine.written).toEqual([SENTINEL]);
  expect(await step.holds?.(host)).toBe(true);
  machine.files.delete(CERTIFICATE);
  expect(await step.holds?.(host)).toBe(false);
});

it('waits for a script that goes on in the background', async () => {
  const machine = new Machine();
  machine.processes['4711'] = ['/bin/sh', '/opt/j.sh'];
  machine.at[5] = joined(machine);
  expect(await see(machine, SCRIPT)).toEqual({ done: true });
  expect(machine.progress).toEqual([
    'waiting for the node: a script that calls kubeadm is running (/bin/sh)',
  ]);
});

it('waits for a shell in the background that is to call kubeadm', async () => {
  const machine = new Machine();
  machine.processes['4711'] = ['sh', '-c', 'sleep 60; kubeadm join --config /a'];
  machine.at[3] = () => {
    machine.processes = {};
  };
  expect(failureOf(await see(machine, SCRIPT))).toMatchObject({ code: 'KubeadmNotTakenOver' });
  expect(machine.seconds).toBeGreaterThan(3);
  expect(machine.seconds).toBeLessThan(10);
});

it.each([
  ['simple', { ActiveState: 'active', SubState: 'running' }],
  ['oneshot', { ActiveState: 'activating', SubState: 'start' }],
  ['restarted', { ActiveState: 'activating', SubState: 'auto-restart' }],
  ['queued', { ActiveState: 'inactive', SubState: 'dead', Job: '17' }],
])('waits for a unit that is %s', async (_, state) => {
  const machine = new Machine();
  machine.units['kj.service'] = { InvocationID: 'a1', ...state };
  machine.at[4] = joined(machine);
  expect(await see(machine, UNIT)).toEqual({ done: true });
});

it('waits for a unit that a timer is to start, and not for a timer that has elapsed', async () => {
  const machine = new Machine();
  machine.units['kj.service'] = { TriggeredBy: 'kj.timer' };
  machine.units['kj.timer'] = { ActiveState: 'active', SubState: 'waiting' };
  machine.at[4] = joined(machine);
  expect(await see(machine, UNIT)).toEqual({ done: true });
  expect(machine.progress).toEqual(['waiting for the node: kj.timer is to start kj.service']);
  const elapsed = new Machine();
  elapsed.units['kj.service'] = { TriggeredBy: 'kj.timer' };
  elapsed.units['kj.timer'] = { ActiveState: 'active', SubState: 'elapsed' };
  expect(failureOf(await see(elapsed, UNIT))).toMatchObject({ code: 'KubeadmNotTakenOver' });
});

it('explains the failure of a unit by what it printed, also where it ended well', async () => {
  for (const end of [
    {
      ActiveState: 'failed',
      SubState: 'failed',
      Result: 'exit-code',
      ExecMainCode: '1',
      ExecMainStatus: '1',
    },
    { ActiveState: 'active', SubState: 'exited', Result: 'success', ExecMainCode: '1', ExecMainStatus: '0' },
  ]) {
    const machine = new Machine();
    machine.units['kj.service'] = { InvocationID: 'a1', ...end };
    machine.journal.a1 = REFUSED;
    const failure = failureOf(await see(machine, UNIT));
    expect(failure).toMatchObject({ code: 'TokenUnknown' });
    expect(failure?.exitStatus).toBe(end.ExecMainStatus === '1' ? 1 : undefined);
  }
});

it('says of a unit that failed before kubeadm ran how it ended, without secrets', async () => {
  const machine = new Machine();
  machine.units['kj.service'] = {
    ...{
      InvocationID: 'a1',
      ActiveState: 'failed',
      Result: 'exit-code',
      ExecMainCode: '1',
      ExecMainStatus: '203',
    },
  };
  machine.journal.a1 = 'kj.service: the token is abcdef.0123456789abcdef\n';
  const failure = failureOf(await see(machine, UNIT));
  expect(failure).toMatchObject({
    code: 'KubeadmNotTakenOver',
    cause: expect.stringContaining('kj.service, which was to call kubeadm join, failed (exit status 203)'),
  });
  expect(JSON.stringify(failure)).not.toContain('0123456789abcdef');
});

it('says of a unit that nothing has started whether a boot will', async () => {
  for (const [state, words] of [
    ['disabled', 'It is not enabled.'],
    ['enabled', 'It is enabled, so the next boot starts it.'],
  ] as const) {
    const machine = new Machine();
    machine.units['kj.service'] = { UnitFileState: state };
    expect(failureOf(await see(machine, UNIT))?.cause).toBe(
      `Nothing has started kj.service, which was to call kubeadm join. ${words}`,
    );
  }
});

it('waits for nothing that a user or a container runs under such a name', async () => {
  for (const others of ['user', 'container'] as const) {
    const machine = new Machine();
    machine.processes['4711'] = ['/bin/sh', '/opt/j.sh'];
    machine.processes['4712'] = ['sh', '-c', 'sleep 999; kubeadm join --config /a'];
    machine.others = others;
    expect(failureOf(await see(machine, SCRIPT))).toMatchObject({ code: 'KubeadmNotTakenOver' });
    expect(machine.seconds).toBe(0);
  }
});

it('does not take a systemd that gives no answer for units that do not run', async () => {
  const machine = new Machine();
  machine.files.add('/run/systemd/system');
  machine.isSilent = true;
  machine.at[5] = () => {
    machine.isSilent = false;
    machine.units['kj.service'] = { InvocationID: 'a1', ActiveState: 'activating', SubState: 'start' };
  };
  machine.at[9] = joined(machine);
  expect(await see(machine, UNIT)).toEqual({ done: true });
});

it('asks for the unit that systemd-run names, and for no option that somebody printed', async () => {
  const machine = new Machine();
  await see(machine, SCRIPT, 'Running as unit: run-u7.service\nRunning as unit: -Hroot@192.0.2.1.service\n');
  expect(new Set(machine.asked)).toEqual(new Set(['run-u7.service']));
});

it('tells nothing of a file that a caller writes but the words of kubeadm', async () => {
  const machine = new Machine();
  machine.texts['/var/log/j.log'] = 'the password is hunter2\n';
  expect(JSON.stringify(await see(machine, SCRIPT))).not.toContain('hunter2');
  machine.texts['/var/log/j.log'] = `the password is hunter2\n${REFUSED}`;
  const told = await see(machine, SCRIPT);
  expect(failureOf(told)).toMatchObject({ code: 'TokenUnknown' });
  expect(JSON.stringify(told)).not.toContain('hunter2');
});

it('waits for a kubeadm that is still running, though the kubelet has its certificate', async () => {
  const machine = new Machine();
  joined(machine)();
  machine.kubeadm = true;
  machine.at[6] = () => {
    machine.kubeadm = false;
  };
  expect(await see(machine, SCRIPT)).toEqual({ done: true });
  expect(machine.seconds).toBe(6);
});

it('has failed where kubeadm failed after the certificate, and not where what came behind it did', async () => {
  const late =
    '[preflight] Running pre-flight checks\n[kubelet-start] Starting the kubelet\nerror execution phase control-plane-join/etcd: error creating local etcd static pod manifest file: timeout waiting for etcd cluster to be available\nTo see the stack trace of this error execute with --v=5 or higher\n';
  const well =
    '[preflight] Running pre-flight checks\n[kubelet-start] Starting the kubelet\n\nThis node has joined the cluster:\n* Certificate signing request was sent to apiserver and a response was received.\n* The Kubelet was informed of the new secure connection details.\n\nlabel: command not found\n';
  for (const [printed, isDone] of [
    [late, false],
    [well, true],
  ] as const) {
    const machine = new Machine();
    joined(machine)();
    machine.units['kj.service'] = {
      ...{ InvocationID: 'a1', ActiveState: 'failed', SubState: 'failed', Result: 'exit-code' },
      ...{ ExecMainCode: '1', ExecMainStatus: '1' },
    };
    machine.journal.a1 = printed;
    expect((await see(machine, UNIT)).done).toBe(isDone);
  }
});

it('waits until the deadline, and then says who was still at work', async () => {
  const machine = new Machine();
  machine.units['kj.service'] = { ActiveState: 'active', SubState: 'running', InvocationID: 'a1' };
  const result = await see(machine, UNIT);
  expect(machine.seconds).toBe(machine.deadline);
  expect(failureOf(result)).toMatchObject({
    code: 'DeadlineExceeded',
    cause: expect.stringContaining('kj.service is active'),
  });
});

it('removes a sentinel that a command wrote though there is no node', async () => {
  const machine = new Machine();
  machine.files.add(SENTINEL);
  await see(machine, SCRIPT);
  expect(machine.removed).toEqual([SENTINEL]);
  const late = new Machine();
  late.files.add(SENTINEL);
  late.units['kj.service'] = { ActiveState: 'active', SubState: 'running', InvocationID: 'a1' };
  await see(late, UNIT);
  expect(late.removed).toEqual([SENTINEL]);
});

it('claims nothing where no kubelet is configured after programs that nobody has read', async () => {
  const machine = new Machine();
  const step = lookForNode({}, shared(undefined));
  const context = machine.context();
  expect(await step.run(context)).toMatchObject({ done: true });
  await step.settled?.(context.host, true);
  expect(machine.findings).toEqual(['NotKnownToMakeANode']);
  expect(machine.written).toEqual([]);
  expect(step.decides).toBe(true);
  expect(await step.holds?.(context.host)).toBe(false);
});

it('lets the certificate decide where a kubelet is configured after programs that nobody has read', async () => {
  const machine = new Machine();
  machine.files.add(CONFIG);
  expect(failureOf(await lookForNode({}, shared(undefined)).run(machine.context()))).toMatchObject({
    code: 'KubeadmNotTakenOver',
  });
  joined(machine)();
  const step = lookForNode({}, shared(undefined));
  expect(await step.run(machine.context())).toEqual({ done: true });
  expect(step.decides && (await step.holds?.(machine.context().host))).toBe(true);
});
