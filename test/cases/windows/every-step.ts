import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { behave } from './join.ts';
import type { WindowsMachine } from './windows-machine.ts';

/** More than there are steps, twice. */
const MOST_RUNS = 60;

const RUN = 'S:\\node.exe --require S:\\deadly.cjs S:\\slipway.cjs bootstrap --user-data S:\\every-step';

/** What an earlier bootstrap of this machine has left. */
const LEFT = ['ProgramData/slipway', 'run', 'etc/kubernetes', 'var/lib/kubelet', 'before', 'after', 'boot'];

/**
 * Own mode, with a step of every kind that Windows has. The agent is killed when each of them has begun, and when it is done but the
 * journal does not say so yet; called again and again it comes to its end. It is the same bundle as in slipway.exe, run by the
 * Node.js of which slipway.exe is made: nothing can be loaded before the agent in that.
 */
export async function expectEveryStepKilled(machine: WindowsMachine): Promise<void> {
  const { shared, onC } = machine;
  for (const path of LEFT) rmSync(onC(path), { recursive: true, force: true });
  behave(machine, 'join');
  for (const name of ['calls', 'deaths']) rmSync(join(shared, name), { force: true });
  const read = () => (existsSync(join(shared, 'deaths')) ? readFileSync(join(shared, 'deaths'), 'utf8') : '');
  await machine.boot(async ({ commands }) => {
    for (let count = 0; count < MOST_RUNS; count += 1) {
      const before = read();
      await commands(RUN);
      if (read() === before) return;
    }
  });
  const journal = readFileSync(onC('ProgramData/slipway/journal.jsonl'), 'utf8');
  const deaths = read().trim().split('\n');
  assert.deepEqual(
    deaths.sort(),
    stepsIn(journal)
      .flatMap((id) => [`${id} begins`, `${id} ends`])
      .sort(),
  );
  for (const kind of ['bootcmd', 'files', 'preflight', 'kubeadm-patches', 'static-pods', 'kubeadm', 'ready'])
    assert.ok(
      deaths.some((death) => death.startsWith(kind)),
      `${kind}: ${deaths}`,
    );
  expectDone(machine, journal);
}

/** Commands that were done, and not yet noted, are done again; nothing else is, and kubeadm least of all. */
function expectDone({ shared, onC }: WindowsMachine, journal: string): void {
  const read = (path: string) => readFileSync(onC(path), 'utf8');
  for (const name of ['boot', 'before', 'after']) assert.equal(read(name), `${name}\r\n${name}\r\n`);
  assert.match(readFileSync(join(shared, 'calls'), 'utf8'), /^join .*\n$/);
  assert.deepEqual(['k/appended', 'k/fetched', 'k/late'].map(read), ['once\n', 'ok', 'late\n']);
  assert.ok(existsSync(onC('etc/kubernetes/manifests/proxy.yaml')));
  assert.ok(existsSync(onC('etc/kubernetes/patches/kubeletconfiguration+merge.yaml')));
  assert.ok(existsSync(onC('run/cluster-api/bootstrap-success.complete')));
  const outcome = JSON.parse(read('run/slipway/outcome.json'));
  assert.partialDeepStrictEqual(outcome, { result: 'succeeded', exitStatus: 0, mode: 'bootstrap' });
  assert.doesNotMatch(journal, /abcdef\.0123456789abcdef/);
}

function stepsIn(journal: string): string[] {
  const records = journal
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { steps } = records.findLast(({ type }) => type === 'sequence.started');
  return steps.map(({ id }: { id: string }) => id);
}
