import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../../test/support/tiny-root.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import { recordsOf } from '../../engine/parse-journal.ts';
import { areWiped, noteWiped } from '../../engine/wiped-note.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { plan, planCall } from '../../steps/plan.ts';
import { loadCall, loadDocument } from '../../userdata/load.ts';
import { bootstrap } from '../bootstrap.ts';
import { runDocument } from '../run-document.ts';
import { withVerdict } from '../with-verdict.ts';
import { findState, findStateUnusable } from './find-state.ts';
import { ACTIONS, type Action, LIFECYCLE, STATES, type State } from './lifecycle.ts';

const KUBEADM = `#!/bin/sh
[ "$1" = join ] || exit 0
echo joined >>/log
mkdir -p /etc/kubernetes /var/lib/kubelet/pki
: >/etc/kubernetes/kubelet.conf
: >/var/lib/kubelet/pki/kubelet-client-current.pem
`;
const JOIN = ['--token', 'abcdef.0123456789abcdef', '10.0.0.1:6443'];
const GOOD = `#cloud-config
slipway: {wipe: false}
runcmd: [echo first >>/log, test -e /wanted || exit 1, kubeadm join ${JOIN.join(' ')}]
`;
const CHANGED = GOOD.replace(/]\n$/, ', echo new >>/log]\n');
const SEED = 'var/lib/cloud/seed/nocloud';
const ASKED = ['boot', 'again', 'shim'] as const;
type Asked = (typeof ASKED)[number];

/** How a machine comes into each state, from one that nobody has bootstrapped. */
const MADE: Readonly<Record<State, (machine: Machine) => Promise<unknown> | unknown>> = {
  untouched: () => undefined,
  'cut-off': (machine) => machine.start('boot', AbortSignal.abort()),
  async failed(machine) {
    rmSync(machine.at('wanted'));
    expect((await machine.start('boot')).failure?.code).toBe('CommandEndedScript');
    machine.put('wanted', '');
  },
  async wiped(machine) {
    await machine.start('boot');
    await noteWiped(machine.host(), Buffer.from(GOOD));
  },
  'shim-only': (machine) => machine.start('shim', AbortSignal.abort()),
  async 'other-instance'(machine) {
    await machine.start('boot');
    machine.name('i-2');
  },
  async 'node-gone'(machine) {
    await machine.start('boot');
    rmSync(machine.at('etc/kubernetes'), { recursive: true });
  },
  same: (machine) => machine.start('boot'),
  async changed(machine) {
    await machine.start('boot');
    machine.put(`${SEED}/user-data`, CHANGED);
  },
  async resumable(machine) {
    await MADE.changed(machine);
    await machine.start('again', AbortSignal.abort());
  },
  unusable: (machine) => machine.put('etc/slipway/node.yaml', 'labels: [\n'),
  async 'unusable-on-node'(machine) {
    await machine.start('boot');
    MADE.unusable(machine);
  },
};

/** What each start then runs: by its own words in the log. A cell that is not here runs nothing. */
const RUNS: Readonly<Partial<Record<State, Partial<Record<Asked, string>>>>> = {
  untouched: { boot: 'first joined', shim: 'joined' },
  'cut-off': { boot: 'first joined', again: 'first joined', shim: 'joined' },
  // A boot tells again how a command ended: only --again runs it anew.
  failed: { again: 'joined', shim: 'joined' },
  wiped: { shim: 'joined' },
  'shim-only': { boot: 'first joined', shim: 'joined' },
  'other-instance': { boot: 'first joined', shim: 'joined' },
  'node-gone': { boot: 'joined', shim: 'joined' },
  same: { shim: 'joined' },
  changed: { again: 'new', shim: 'joined' },
  resumable: { boot: 'new', again: 'new', shim: 'joined' },
};

/** How each action shows in the outcome. */
const SHOWN: Readonly<Record<Action, object>> = {
  run: { result: 'succeeded', findings: [] },
  retry: { result: 'succeeded', findings: [], message: 'The machine is bootstrapped.' },
  apply: { result: 'succeeded', findings: [], message: expect.stringContaining('was done: 1 step.') },
  defer: { result: 'succeeded', findings: [{ code: 'NodeLeftAsItIs' }] },
  keep: { result: 'succeeded', findings: [{ code: 'NodeLeftAsItIs' }] },
  nothing: { result: 'succeeded', findings: [], sequence: '' },
  refuse: { result: 'bad-input', sequence: '' },
};

class Machine {
  readonly root: TinyRoot = makeTinyRoot(['mkdir']);

  constructor() {
    this.put('usr/bin/kubeadm', KUBEADM);
    chmodSync(this.at('usr/bin/kubeadm'), 0o755);
    this.put('wanted', '');
    this.put(`${SEED}/user-data`, GOOD);
    this.name('i-1');
  }

  at(path: string): string {
    return join(this.root.path, path);
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text);
  }

  /** As metadata and cloud-init call it. */
  name(instance: string): void {
    this.put(`${SEED}/meta-data`, `instance-id: ${instance}\n`);
    this.put('var/lib/cloud/data/instance-id', `${instance}\n`);
  }

  host() {
    return createLinuxHost({ root: this.root.path });
  }

  log(): string[] {
    return existsSync(this.at('log')) ? readFileSync(this.at('log'), 'utf8').trim().split('\n') : [];
  }

  async state(): Promise<State> {
    const loaded = await loadDocument(this.host(), {});
    if (loaded.kind === 'none' || loaded.document.report.some(({ severity }) => severity === 'error'))
      return (await findStateUnusable(this.host(), 'i-1')).state;
    const { document, userData } = loaded;
    const isWiped = await areWiped(this.host(), userData);
    const instance = document.instance.id ?? '';
    const records = await recordsOf(this.host());
    return (await findState(this.host(), records, { isWiped }, plan(document), instance)).state;
  }

  async start(asked: Asked, stop = new AbortController().signal): Promise<Outcome> {
    const host = this.host();
    const run = {
      host,
      deadlineSeconds: 60,
      stop,
      watcher: { record: () => undefined, output: () => undefined },
    };
    const verdict = { fault: new Promise<never>(() => undefined), unwritten: () => undefined };
    if (asked !== 'shim') return bootstrap({ ...run, agent: '0', isAgain: asked === 'again', verdict });
    return withVerdict(host, { mode: 'shim', agent: '0', ...verdict }, async (about) => {
      const call = await loadCall(host, { kind: 'kubeadm', verb: 'join', args: sensitive(JOIN) });
      return (await runDocument({ ...run, asked }, about, call, planCall)).outcome;
    });
  }
}

describe.runIf(process.getuid?.() === 0)('the lifecycle of a machine (needs root)', () => {
  let machine: Machine;
  beforeEach(() => {
    machine = new Machine();
  });
  afterEach(() => machine.root.remove());

  const cells = Object.keys(STATES).flatMap((state) =>
    ASKED.map(
      (asked, column) => [state as State, asked, LIFECYCLE[state as State][column] as Action] as const,
    ),
  );

  it.each(cells)('%s, at %s: %s', async (state, asked, action) => {
    await MADE[state](machine);
    expect(await machine.state()).toBe(state);
    const before = machine.log().length;
    const outcome = await machine.start(asked);
    const isToldAgain = state === 'failed' && asked === 'boot';
    expect(outcome).toMatchObject(isToldAgain ? { failure: { code: 'CommandEndedScript' } } : SHOWN[action]);
    expect(machine.log().slice(before).join(' ')).toBe(RUNS[state]?.[asked] ?? '');
  });

  it('applies changes with --again where another instance has failed on the machine since', async () => {
    await machine.start('boot');
    machine.name('i-2');
    machine.put(`${SEED}/user-data`, GOOD.replace('first >>/log', 'other >>/log && exit 1'));
    expect((await machine.start('boot')).result).toBe('failed');
    machine.name('i-1');
    machine.put(`${SEED}/user-data`, CHANGED);
    expect(await machine.start('again')).toMatchObject({
      result: 'succeeded',
      message: expect.stringContaining('What has changed since the last success was done'),
    });
    expect(machine.log()).toEqual(['first', 'joined', 'other', 'new']);
  });
});

it('is what docs/lifecycle.md says', () => {
  const page = readFileSync(new URL('../../../../docs/lifecycle.md', import.meta.url), 'utf8');
  const table = Object.entries(STATES).map(
    ([state, text]) => `| **${state}**: ${text} | ${LIFECYCLE[state as State].join(' | ')} |`,
  );
  const actions = Object.entries(ACTIONS).map(([action, text]) => `- \`${action}\`: ${text}.`);
  expect(page).toContain(`\n${table.join('\n')}\n\n`);
  expect(page).toContain(`\n${actions.join('\n')}\n`);
});
