import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { nodeBinary } from '../../../build/project.ts';
import { start } from '../../lab/process/command.ts';
import { DIES_WITH_US } from '../../lab/root/in-root.ts';
import { expensiveChain } from './expensive-chain.ts';

/** Hostile handshakes with a controller on the loopback: each shows a client certificate that is expensive to verify. */
export interface Handshakes {
  readonly port: number;
  readonly perSecond: number;
  /** Certificates in each chain. */
  readonly chainLength: number;
  /** Addresses of the loopback that they come from, in turn; at most 60,000. */
  readonly addresses: number;
}

/** What has become of them so far. */
export interface HandshakeCounts {
  begun: number;
  /** The server did all that was asked. */
  finished: number;
}

const TICK_MS = 50;
/** Connections that wait for the server at the same time: the kernel's own queue is not what is attacked. */
const MOST_OPEN = 300;

/** @returns counts that go on growing */
export function attack({ port, perSecond, chainLength, addresses }: Handshakes): HandshakeCounts {
  const secureContext = createSecureContext(expensiveChain(chainLength));
  const counts = { begun: 0, finished: 0 };
  const began = performance.now();
  let open = 0;
  const begin = (): void => {
    const at = counts.begun % addresses;
    const localAddress = `127.68.${Math.floor(at / 250)}.${(at % 250) + 1}`;
    counts.begun += 1;
    open += 1;
    const raw = connect({ host: '127.0.0.1', port, localAddress });
    raw.on('error', () => {});
    const socket = connectTls({ socket: raw, secureContext, rejectUnauthorized: false });
    socket.on('error', () => {});
    // The client is done before the server has looked at its certificate: what the server sends next tells that it has.
    socket.once('session', () => {
      counts.finished += 1;
      socket.destroy();
    });
    socket.once('close', () => (open -= 1));
  };
  setInterval(() => {
    const due = ((performance.now() - began) / 1000) * perSecond;
    while (counts.begun < due && open < MOST_OPEN) begin();
  }, TICK_MS);
  return counts;
}

/** The same in a process of its own. @returns ends it, and says what has become of them */
export async function startHandshakes(handshakes: Handshakes): Promise<() => Promise<HandshakeCounts>> {
  const entry = join(import.meta.dirname, 'handshakes-process.ts');
  const [program, ...words] = [...DIES_WITH_US, nodeBinary(), entry, JSON.stringify(handshakes)];
  const child = start(program, words, { stdio: ['pipe', 'pipe', 'inherit'], buffer: false });
  const goesOn = Promise.withResolvers<void>();
  let counts: HandshakeCounts = { begun: 0, finished: 0 };
  if (child.stdout)
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{')) counts = JSON.parse(line) as HandshakeCounts;
      goesOn.resolve();
    });
  void child.then(() => goesOn.reject(new Error('the attack ended by itself')));
  const end = async (): Promise<HandshakeCounts> => {
    child.kill('SIGKILL');
    await child;
    return counts;
  };
  await goesOn.promise.catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return end;
}
