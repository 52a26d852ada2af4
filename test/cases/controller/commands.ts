import { strict as assert } from 'node:assert';
import { controllerCommand, startController } from '../../support/controller/controller-process.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from './scene.ts';

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
  const names = nodes
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ +/)[1] ?? '');
  assert.ok(names.length > 3 && names.every((name, i) => i === 0 || name > (names[i - 1] ?? '')), nodes);
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
  const tailed = await tail([access, '--from-start'], /default\/bad {2}the bootstrap ended: failed/);
  assert.match(tailed, /\| dial tcp 10\.0\.0\.1:6443/);
  say('nodes, node, tail: tables and JSON');
}

/** Follows until it has printed `wanted`. */
async function tail(words: readonly string[], wanted: RegExp): Promise<string> {
  const follower = startController(['tail', ...words]);
  let printed = '';
  follower.stdout?.on('data', (text: Buffer) => (printed += text.toString()));
  await eventually(`${wanted} from tail`, () => wanted.test(printed));
  follower.kill('SIGTERM');
  assert.equal((await follower).exitCode, 0);
  return printed;
}
