import { strict as assert } from 'node:assert';
import { controllerCommand } from '../../support/controller-process.ts';
import type { Scene } from './run.ts';

/** The commands for people, from another machine than the controller's. */
export async function commands({ cluster, say }: Scene): Promise<void> {
  const access = `--kubeconfig=${cluster.api.kubeconfig()}`;
  const read = async (...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await controllerCommand([...words, access]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const nodes = await read('nodes');
  assert.match(nodes, /^NAMESPACE +NAME +TIED BY +PHASE/);
  assert.match(nodes, /default +bad +token +Failed +6\/7 kubeadm join +ApiServerUnreachable/);
  assert.match(nodes, /default +good +token +Succeeded/);
  const parsed = JSON.parse(await read('nodes', '--output=json')) as { name: string; phase: string }[];
  assert.equal(parsed.find(({ name }) => name === 'bad')?.phase, 'Failed');
  const bad = await read('node', 'default/bad');
  for (const part of [
    /ApiServerUnreachable/,
    /\| dial tcp 10\.0\.0\.1:6443/,
    /kubeadm join +failed +1 +1\.2s/,
    /TIMELINE/,
    /phase 3 of kubeadm join/,
  ]) {
    assert.match(bad, part);
  }
  const absent = await controllerCommand(['node', 'default/nobody', access]);
  assert.equal(absent.code, 1);
  assert.match(absent.stderr, /has not enrolled/);
  say('nodes, node: tables and JSON');
}
