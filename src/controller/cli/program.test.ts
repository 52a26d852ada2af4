import { load } from 'js-yaml';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { ReadEvent } from '../../protocol/events.ts';
import type { NodeRecord, NodeSpec } from '../model/node-record.ts';
import { fold, newSummary } from '../model/summary.ts';
import { databasePath } from '../serve/standalone.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import { run } from './program.ts';

let data: string;
let printed: { stdout: string; stderr: string };

beforeEach(async () => {
  data = scratch();
  await new SqliteStore(databasePath(data)).close();
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text);
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function ask(...words: string[]) {
  printed = { stdout: '', stderr: '' };
  const status = await run([...words, '--data', data]);
  return { status, ...printed };
}

const SPEC: NodeSpec = {
  ...{ instance: 'i', hostname: 'h', keyDigest: 'd' },
  enrolment: { method: 'token', at: '2026-01-01T00:00:00Z' },
};

/** Machines that have enrolled and told nothing. */
async function enrol(...names: string[]): Promise<void> {
  const store = new SqliteStore(databasePath(data));
  for (const name of names) {
    const [short = '', namespace = 'default'] = name.split('/').reverse();
    await store.create(namespace, short, { ...SPEC, keyDigest: name, instance: name });
  }
  await store.close();
}

describe('--output', () => {
  it.each(['nodes', 'inventory'])('is also yaml, name and wide: %s', async (command) => {
    await enrol('a/x', 'b/y');
    expect((await ask(command, '-o', 'name')).stdout).toBe('a/x\nb/y\n');
    const json = (await ask(command, '-o', 'json')).stdout;
    expect(load((await ask(command, '-o', 'yaml')).stdout)).toEqual(JSON.parse(json));
    expect(rowsOf(await ask(command, '-o', 'wide'))).toHaveLength(2);
  });

  it('prints nothing for name where no machine has enrolled', async () => {
    expect((await ask('nodes', '-o', 'name')).stdout).toBe('');
  });

  it('is the same table as --wide with wide', async () => {
    await enrol('a/x');
    const wide = await ask('nodes', '-o', 'wide');
    expect(wide.stdout).toContain('INSTANCE TYPE');
    expect(await ask('nodes', '--wide')).toEqual(wide);
  });

  it('is also yaml and name for one node', async () => {
    await enrol('b/y');
    expect((await ask('node', 'b/y', '-o', 'name')).stdout).toBe('b/y\n');
    const json = (await ask('node', 'b/y', '-o', 'json')).stdout;
    expect(load((await ask('node', 'b/y', '-o', 'yaml')).stdout)).toEqual(JSON.parse(json));
  });

  it('prints the ids of tokens for name, and no hash for yaml', async () => {
    const [, id = ''] = (await ask('token', 'create')).stdout.split('.');
    expect((await ask('token', '-o', 'name')).stdout).toBe(`${id}\n`);
    const [listed] = load((await ask('token', '-o', 'yaml')).stdout) as object[];
    expect(listed).toMatchObject({ id });
    expect(listed).not.toHaveProperty('hash');
  });

  it.each([
    ['nodes', 'text, wide, json, yaml, name'],
    ['inventory', 'text, wide, json, yaml, name'],
    ['token', 'text, json, yaml, name'],
    ['tail', 'text, json'],
  ])('refuses an unknown format with the list: %s', async (command, formats) => {
    await expect(ask(command, '-o', 'xml')).rejects.toThrow(
      `--output: xml is not supported; use one of ${formats}`,
    );
  });
});

it('states the cause and the remedy of a failure once: node', async () => {
  await enrol('default/x');
  const store = new SqliteStore(databasePath(data));
  const failure = {
    code: 'DiskFull',
    cause: 'the disk is full',
    remedy: 'Free some space.',
    lines: ['ENOSPC'],
  };
  const step = { id: 's', title: 'write files' };
  const common = { v: 1, machine: { instance: 'i', hostname: 'h' }, boot: 'b', time: '2026-01-01T00:00:00Z' };
  const bodies = [
    { type: 'step.ended', sequence: 'q', step, attempt: 1, result: 'failed', ms: 5, failure },
    {
      type: 'sequence.ended',
      sequence: 'q',
      mode: 'bootstrap',
      result: 'failed',
      exitStatus: 1,
      ms: 5,
      step,
      failure,
    },
  ];
  const events = bodies.map(
    (body, at) => ({ ...common, seq: at + 1, mono: at, ...body }) as unknown as ReadEvent,
  );
  const record = (await store.find('default', 'x')) as NodeRecord;
  await store.append(record, { epoch: 1, events, summary: events.reduce(fold, newSummary()) });
  await store.close();
  const { stdout } = await ask('node', 'x');
  for (const text of ['the disk is full', 'Free some space.', '| ENOSPC'])
    expect(stdout.split(text)).toHaveLength(2);
  expect(stdout).toContain('write files: failed after 5ms [DiskFull]');
});

/** Cells of a table's rows; those of its head are left out. */
function rowsOf({ stdout }: { stdout: string }): string[][] {
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {3,}/));
}

const TOKEN = /^slwt\.[a-z0-9]{10}\.[\w-]{32}\n$/;

describe('token', () => {
  it('lists without an action, and creates nothing', async () => {
    const { stdout } = await ask('token', 'create');
    const [, id = ''] = stdout.split('.');
    const first = await ask('token');
    expect(first).toEqual(await ask('token', 'list'));
    expect(first.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual(['ID', id, '']);
  });

  it('lists the tokens of a namespace without an action', async () => {
    await ask('token', 'create');
    expect((await ask('token', '--namespace', 'other')).stdout).toBe('There are no tokens.\n');
  });

  it.each([['--machine', 'w1'], ['--ttl', '2h'], ['--uses', '100'], ['--no-renew']])(
    'creates one without an action where an option belongs to create alone: %s',
    async (...options) => {
      expect((await ask('token', ...options)).stdout).toMatch(TOKEN);
      expect((await ask('token')).stdout.split('\n')).toHaveLength(3);
    },
  );
});

describe('the namespaces of a list', () => {
  it.each(['nodes', 'inventory'])('are all, one or, with -A, all: %s', async (command) => {
    await enrol('a/x', 'b/y');
    const names = async (...words: string[]) =>
      rowsOf(await ask(command, ...words)).map((row) => row.slice(0, 2).join('/'));
    expect(await names()).toEqual(['a/x', 'b/y']);
    expect(await names('-n', 'b')).toEqual(['b/y']);
    expect(await names('-A')).toEqual(['a/x', 'b/y']);
    expect(await names('-n', 'b', '-A')).toEqual(['a/x', 'b/y']);
  });

  it('are all with -A: token', async () => {
    await ask('token', 'create', '-n', 'b');
    expect(rowsOf(await ask('token', '-n', 'b'))).toHaveLength(1);
    expect(rowsOf(await ask('token', '-n', 'a'))).toHaveLength(0);
    expect(rowsOf(await ask('token', '-n', 'a', '--all-namespaces'))).toHaveLength(1);
  });

  it.each([
    ['nodes', 'quarantine', 'x', '-A'],
    ['token', 'create', '-A'],
  ])('are refused where an action takes one: %s %s', async (...words) => {
    await expect(ask(...words)).rejects.toThrow('--all-namespaces is for list');
  });

  it('take -n for the node that is shown', async () => {
    await enrol('b/y');
    expect((await ask('node', 'y', '-n', 'b')).stdout).toContain('b/y');
  });
});
