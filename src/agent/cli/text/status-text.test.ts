import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { width } from '../../../kit/terminal/columns.ts';
import type { RecordBody } from '../../../protocol/journal.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { createHost } from '../../create-host.ts';
import { Journal } from '../../engine/journal.ts';
import type { Host } from '../../host/host.ts';
import { liveStatus } from '../status.ts';
import { readStatus, type Status } from './read-status.ts';
import { statusText } from './status-text.ts';

let root: string;
let host: Host;
beforeEach(() => {
  root = scratch();
  host = createHost({ root });
});

const STEPS = [
  { id: 'files', title: 'write 3 files', digest: 'd1' },
  { id: 'kubeadm', title: 'kubeadm join', digest: 'd2' },
  { id: 'runcmd/2', title: 'runcmd 2 (echo)', digest: 'd3' },
];
const FAILURE = {
  code: 'ApiServerUnreachable' as const,
  cause: 'The API server at 192.0.2.7:6443 does not answer: connection refused.',
  remedy: 'Check the endpoint, the load balancer and the firewalls between.',
};
const AT_WORK: RecordBody[] = [
  { type: 'run.started', run: 'r', instance: 'i', mode: 'bootstrap', agent: '0', pid: process.pid },
  {
    ...{ type: 'sequence.started', run: 'r', sequence: 's', digest: 'd', steps: STEPS },
    ...{ deadlineSeconds: 900, resumed: false },
  },
  { type: 'step.started', step: 'files', digest: 'd1', attempt: 1 },
  { type: 'step.ended', step: 'files', digest: 'd1', attempt: 1, result: 'done', ms: 40 },
  { type: 'step.started', step: 'kubeadm', digest: 'd2', attempt: 1 },
  {
    ...{ type: 'step.ended', step: 'kubeadm', digest: 'd2', attempt: 1, result: 'failed', ms: 8_000 },
    ...{ failure: FAILURE, retryInMs: 5_000 },
  },
];
const SECOND: RecordBody[] = [
  { type: 'step.started', step: 'kubeadm', digest: 'd2', attempt: 2 },
  { type: 'step.progress', step: 'kubeadm', message: 'waits for the API server to answer 日本' },
];

async function statusAfter(records: RecordBody[]): Promise<Status> {
  await host.files.mkdir('/var/lib/slipway', 0o700);
  const journal = await Journal.open(host);
  for (const record of records) await journal.append(record);
  await journal.close();
  return readStatus(host);
}

describe('a step that is tried again', () => {
  it.each([
    ['before the next attempt', AT_WORK, 'retrying'],
    ['in the next attempt', [...AT_WORK, ...SECOND], 'running'],
  ])('tells why the last attempt failed %s', async (_, records, state) => {
    const status = await statusAfter(records);
    expect(status.steps[1]).toMatchObject({ state, lastFailure: { attempt: 1, ...FAILURE } });
    const text = statusText(status);
    expect(text).toContain(
      [
        'kubeadm join, attempt 1: ApiServerUnreachable',
        `  Cause       ${FAILURE.cause}`,
        `  What to do  ${FAILURE.remedy}`,
        '  More        slipway explain ApiServerUnreachable',
      ].join('\n'),
    );
    expect(text.match(/ApiServerUnreachable$/gm)).toHaveLength(2);
  });

  it('tells what it waits for, where the failure is not final yet', async () => {
    const message = 'the container runtime is still starting (containerd.service is activating)';
    const status = await statusAfter([...AT_WORK.slice(0, -1), { ...AT_WORK.at(-1), message } as RecordBody]);
    expect(statusText(status)).toContain(message);
    expect(statusText(status)).toContain('kubeadm join, attempt 1: ApiServerUnreachable');
  });

  it('tells nothing of it once it is done', async () => {
    const done = {
      type: 'step.ended',
      step: 'kubeadm',
      digest: 'd2',
      attempt: 2,
      result: 'done',
      ms: 9,
    } as const;
    const status = await statusAfter([...AT_WORK, ...SECOND, done]);
    expect(status.steps[1]).not.toHaveProperty('lastFailure');
    expect(statusText(status)).not.toContain('ApiServerUnreachable');
  });
});

it.each([60, 80])('tells on %i columns what is wrong before the first attempt is over', async (columns) => {
  const why = 'waiting for the cluster: 192.0.2.7:6443 does not answer yet: it refuses connections';
  const found = {
    severity: 'warning',
    code: 'ApiServerUnreachable',
    message: 'the API server refuses',
  } as const;
  const status = await statusAfter([
    ...AT_WORK.slice(0, 4),
    { type: 'finding', ...found },
    ...AT_WORK.slice(4, 5),
    { type: 'step.progress', step: 'kubeadm', message: why },
  ]);
  expect(status.findings).toEqual([found]);
  const text = statusText(status, { columns, colours: false });
  expect(text.replace(/\s+/g, ' ')).toMatch(new RegExp(`kubeadm join \\d+ms ${why}`));
  expect(text).toContain('Noticed\n  warning     the API server refuses [ApiServerUnreachable]\n');
  expect(text.split('\n').filter((line) => width(line) > columns)).toEqual([]);
});

it.each([
  ['bootstrap', '(start it: systemctl start slipway)'],
  ['shim', '(call kubeadm again)'],
] as const)('says how an agent that is gone is started in the mode %s', async (mode, how) => {
  const began = { ...AT_WORK[0], mode, pid: 0x7fff_ffff } as RecordBody;
  expect(statusText(await statusAfter([began, ...AT_WORK.slice(1)]))).toContain(how);
});

it('shows no step at work where the agent was told to stop', async () => {
  const ended = {
    type: 'sequence.ended',
    run: 'r',
    sequence: 's',
    result: 'transient',
    exitStatus: 75,
  } as const;
  const status = await statusAfter([...AT_WORK, ...SECOND, { ...ended, ms: 9_000 }]);
  expect(status).toMatchObject({
    state: 'concluded',
    steps: [{ state: 'done' }, { state: 'interrupted' }, {}],
  });
  expect(statusText(status)).toMatch(/^ {2}■ kubeadm join .* 2 attempts, interrupted, waits for/m);
});

it.each([60, 80, 100])('fits a terminal of %i columns, in colour and without', async (columns) => {
  const status = await statusAfter([...AT_WORK, ...SECOND]);
  const plain = statusText(status, { columns, colours: false });
  expect(plain.split('\n').filter((line) => width(line) > columns)).toEqual([]);
  const coloured = statusText(status, { columns, colours: true });
  expect(coloured).not.toBe(plain);
  expect(stripVTControlCharacters(coloured)).toBe(plain);
});

it('leads with the failure that leads in outcome.json, whichever step failed first', async () => {
  const tolerated = { code: 'CommandFailed' as const, cause: 'echo exited with 1.', remedy: 'Correct it.' };
  const status = await statusAfter(AT_WORK.slice(0, 4));
  const failed = status.steps.map((step, at) => ({
    ...step,
    ...(at < 2 ? { state: 'failed' as const, failure: at === 0 ? tolerated : FAILURE } : {}),
  }));
  const verdict = {
    result: 'failed',
    exitStatus: 1,
    step: 'kubeadm',
    failure: FAILURE,
    findings: [],
    seconds: 9,
  };
  const outcome = { ...verdict, endedAt: '2026-01-01T00:00:00.000Z' } as unknown as Outcome;
  const text = statusText({ ...status, state: 'concluded', steps: failed, outcome });
  expect([...text.matchAll(/^ {2}Cause {7}(.*)$/gm)].map(([, cause]) => cause)).toEqual([
    FAILURE.cause,
    tolerated.cause,
  ]);
  expect(text).toContain('kubeadm join: ApiServerUnreachable\n');
});

it('wraps a long title at blanks and cuts nothing', async () => {
  const title =
    'write /etc/kubernetes/patches/kubeadmconfig.yaml and 11 other files of this user data, and their owners';
  const steps = STEPS.map((step) => (step.id === 'files' ? { ...step, title } : step));
  const status = await statusAfter([...AT_WORK, ...SECOND]);
  const long = {
    ...status,
    steps: status.steps.map((step, at) => ({ ...step, title: steps[at]?.title ?? '' })),
  };
  for (const columns of [60, 80]) {
    const text = statusText(long, { columns, colours: false });
    expect(text).not.toContain('…');
    expect(text.split('\n').filter((line) => width(line) > columns)).toEqual([]);
    for (const word of title.split(' ')) expect(text).toContain(word);
  }
  expect(statusText(long)).toContain(title);
});

it('shows each finished step once and a live text that fits, and plain lines in a pipe', async () => {
  const status = await statusAfter([...AT_WORK, ...SECOND]);
  let written = '';
  const stream = {
    columns: 60,
    on: () => undefined,
    off: () => undefined,
    write: (text: string) => {
      written += text;
    },
  };
  const live = liveStatus({ ...stream, isTTY: true });
  for (let time = 0; time < 3; time += 1) live.show(status);
  const lines = stripVTControlCharacters(written)
    .split(/[\r\n]+/)
    .filter(Boolean);
  expect(lines.filter((line) => line.startsWith('✔'))).toEqual(['✔ write 3 files  40ms']);
  expect(lines).toHaveLength(1 + 3 * 2);
  for (const line of lines) expect(width(line)).toBeLessThan(60);
  expect(lines[1]).toContain('ApiServerUnreachable');
  expect(lines[2]).toBe('waits for the API server to answer 日本');
  written = '';
  const piped = liveStatus(stream);
  for (let time = 0; time < 3; time += 1) piped.show(status);
  piped.show({ ...status, steps: status.steps.filter(({ state }) => state === 'done') });
  expect(written).toBe(
    '✔ write 3 files  40ms\nkubeadm join after ApiServerUnreachable, attempt 2: waits for the API server to answer 日本\n',
  );
});
