import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { nodeBinary } from '../../../build/project.ts';
import { start } from '../../lab/process/command.ts';
import { DIES_WITH_US } from '../../lab/root/in-root.ts';

/** What strangers do at once to a controller on the loopback, from so many addresses of it each. */
export interface Attack {
  readonly port: number;
  /** Each announces an enrolment and sends half of it. */
  readonly halfSent: number;
  readonly halfSentFrom: number;
  /** Each opens a connection and says nothing. */
  readonly silent: number;
  readonly silentFrom: number;
  /** Plain HTTP ports, of which each gets so many connections that say nothing. */
  readonly plain: readonly number[];
  readonly idle: number;
}

/** A connection that means nothing good, and the event after which it counts as open. */
interface Bad {
  readonly socket: Socket;
  readonly event: 'connect' | 'secureConnect';
  readonly opened?: () => void;
}

/**
 * Holds an attack: what the controller closes is opened again a second later.
 */
export class Strangers {
  readonly #sockets = new Set<Socket>();
  #ended = false;

  /** Begins all of it. @returns when each connection was open, or refused, once */
  async begin(attack: Attack): Promise<void> {
    const { port, halfSent, halfSentFrom, silent, silentFrom, plain, idle } = attack;
    const address = (network: number, at: number, of: number) => `127.${network}.0.${(at % of) + 1}`;
    const kinds: [number, (at: number) => Bad][] = [
      [halfSent, (at) => halfEnrolment(port, address(66, at, halfSentFrom))],
      [silent, (at) => silence(port, address(67, at, silentFrom))],
      ...plain.map((to): [number, () => Bad] => [idle, () => silence(to)]),
    ];
    const begun = kinds.flatMap(([count, open]) =>
      Array.from({ length: count }, (_, at) => this.#keep(at, open)),
    );
    await Promise.all(begun);
  }

  end(): void {
    this.#ended = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(at: number, open: (at: number) => Bad): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const again = async (): Promise<void> => {
      // Not all in one moment: the kernel's own queue is not what is attacked.
      await sleep((at % 1_000) + Math.random() * 100);
      while (!this.#ended) {
        const { socket, event, opened } = open(at);
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.once(event, () => {
          opened?.();
          resolve();
        });
        socket.resume();
        if (!socket.closed) await once(socket, 'close').catch(() => {});
        this.#sockets.delete(socket);
        resolve();
        await sleep(1_000);
      }
    };
    void again();
    return promise;
  }
}

function silence(port: number, localAddress = '127.0.0.1'): Bad {
  return { socket: connect({ host: '127.0.0.1', port, localAddress }), event: 'connect' };
}

function halfEnrolment(port: number, localAddress: string): Bad {
  const raw = connect({ host: '127.0.0.1', port, localAddress });
  raw.on('error', () => {});
  const socket = connectTls({ socket: raw, rejectUnauthorized: false });
  const opened = (): void => {
    socket.write('POST /v1/enroll HTTP/1.1\r\nhost: x\r\ncontent-length: 16000\r\n\r\n');
    socket.write(Buffer.alloc(8_000, 0x20));
  };
  return { socket, event: 'secureConnect', opened };
}

/** The same in a process of its own: it costs about as much as it does harm. @returns ends it */
export async function startStrangers(attack: Attack): Promise<() => Promise<void>> {
  const entry = join(import.meta.dirname, 'strangers-process.ts');
  const [program, ...words] = [...DIES_WITH_US, nodeBinary(), entry, JSON.stringify(attack)];
  const child = start(program, words, { stdio: ['pipe', 'pipe', 'inherit'], buffer: false });
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child;
  };
  const holds = Promise.withResolvers<void>();
  child.stdout?.once('data', () => holds.resolve());
  void child.then(() => holds.reject(new Error('the strangers have gone')));
  try {
    await holds.promise;
    return end;
  } catch (error) {
    await end();
    throw error;
  }
}
