import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Authority } from '../../../src/pki/authority.ts';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { SimulatedMachine } from '../../support/controller/simulated-machine.ts';
import { eventually } from '../../support/eventually.ts';

/** The server's certificate and its authority are replaced while a machine reports; no event is lost or doubled. */
export async function rotation(say: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-rotation-'));
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const authorities = ['old', 'new'].map((name) => {
    const { certificate, privateKey } = Authority.create(name);
    return new Authority(certificate, privateKey);
  });
  const [old, next] = authorities as [Authority, Authority];
  const show = (authority: Authority): void => {
    const made = authority.server(['127.0.0.1'], 86_400_000);
    // As a renewal may be: for a moment the key is not that of the certificate.
    writeFileSync(cert, made.cert);
    writeFileSync(key, made.key, { mode: 0o600 });
  };
  show(old);
  const data = join(folder, 'data');
  const controller = await ControllerProcess.start([
    ...['--standalone', `--data=${data}`, `--tls-cert=${cert}`, `--tls-key=${key}`],
  ]);
  try {
    const read = async (...words: string[]): Promise<string> =>
      (await controllerCommand([...words, `--data=${data}`])).stdout;
    // Machines are told of both authorities before the change.
    const ca = authorities.map(({ certificate }) => certificate).join('\n');
    const machine = new SimulatedMachine({ port: controller.port, ca });
    await machine.enrol((await read('token', '--machine=rotated')).trim());
    show(next);
    await eventually('the new certificate to be shown', async () => {
      machine.tell({ type: 'fact', name: 'n', value: 'v' });
      await machine.report();
      return (await issuerOf(controller.port, ca)) === 'new';
    });
    // The open connection went on until here; a new one is made under the new authority.
    machine.hangUp();
    for (let i = 0; i < 3; i += 1) {
      machine.tell({ type: 'fact', name: 'n', value: 'v' });
      await machine.report();
    }
    const { eventLog } = JSON.parse(await read('node', 'rotated', '--output=json')) as {
      eventLog: { seq: number }[];
    };
    assert.deepEqual(
      eventLog.map(({ seq }) => seq),
      Array.from({ length: machine.seq }, (_, i) => i + 1),
    );
    machine.hangUp();
    say(`another certificate of another authority is taken up under way: ${machine.seq} events once`);
  } finally {
    await controller.end('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

async function issuerOf(port: number, ca: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca });
  try {
    await once(socket, 'secureConnect');
    const { CN = '' } = socket.getPeerCertificate().issuer;
    return [CN].flat().join();
  } finally {
    socket.destroy();
  }
}
