import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { controllerCommand } from '../../../support/controller/controller-process.ts';
import { eventually } from '../../../support/eventually.ts';
import { RealMachine, WAIT } from '../../clock/real-machine.ts';
import type { Scene } from '../scene.ts';

/**
 * The authority and the token key are replaced under way, with real and simulated machines that know the old one
 * alone. The new one signs after half a minute. @returns what has to hold then
 */
export async function rotation(
  scene: Scene,
): Promise<{ holds: () => Promise<void>; stop: () => Promise<void> }> {
  const { cluster, controller, machine, ca, say, command } = scene;
  for (const name of ['real', 'renews', 'enrols-later']) await cluster.createMachine(name, { token: true });
  const real = await RealMachine.start({
    ...{
      name: 'real',
      port: controller.port,
      ca,
      token: await cluster.machineToken('real'),
      commands: [WAIT],
    },
  });
  try {
    await cluster.enrolled('real');
    const renews = machine({ hostname: 'renews' });
    await renews.enrol(await cluster.machineToken('renews'));
    const ofBefore = await cluster.machineToken('enrols-later');
    const bundle = await command('ca', 'rotate', '--overlap=10m');
    const [, next = ''] = blocks(bundle);
    assert.equal(blocks(bundle)[0], blocks(ca)[0]);
    const again = await controllerCommand(['ca', 'rotate', `--kubeconfig=${cluster.api.kubeconfig()}`]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /the rotation before counts until/);
    const holds = async (): Promise<void> => {
      await eventually('the new authority is shown', () => believes(controller.port, next));
      assert.ok(
        await believes(controller.port, ca),
        'who knows the old authority alone believes the new one',
      );
      real.open();
      await real.ends();
      assert.equal((await cluster.conditionIs('real', 'True')).reason, 'Bootstrapped');
      renews.show(await renews.renew());
      renews.tell({ type: 'fact', name: 'n', value: 'v' });
      await renews.report();
      await machine({ hostname: 'enrols-later' }).enrol(ofBefore);
      assert.equal(blocks(await command('ca')).length, 2);
      say('the authority is replaced and no machine is lost: a real one, a renewal, a token of before');
    };
    return { holds, stop: () => real.stop() };
  } catch (error) {
    await real.stop();
    throw error;
  }
}

function blocks(pem: string): string[] {
  return (pem.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? []).map((block) => block.trim());
}

async function believes(port: number, ca: string): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port, ca });
  try {
    await once(socket, 'secureConnect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
