import { realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_PACKET_BYTES, type TpmChannel } from '../../../../tpm/channel.ts';
import { isErrno, toHostError } from '../../common/system/system-error.ts';
import { HostError } from '../../host.ts';

/** A discrete TPM makes an RSA key in up to 40 s; the kernel's own limit for a command is two minutes. */
const ANSWER_MS = 120_000;
/** The kernel's names of TPMs. A command written to any other file or device would destroy what is there. */
const DEVICE = /^tpm(?:rm)?\d+$/;
/** Tag and length stand before everything else. */
const HEAD_BYTES = 6;

/**
 * A conversation with the TPM behind `path`: the kernel's resource manager (`/dev/tpmrm0`), or a software TPM's socket.
 *
 * @param real the path as this process sees it
 * @returns undefined if nothing is there
 * @throws HostError if it cannot be opened
 */
export async function openTpm(real: string, path: string): Promise<TpmChannel | undefined> {
  const stat = statSync(real, { throwIfNoEntry: false });
  if (!stat) return undefined;
  try {
    if (stat.isSocket()) return await overSocket(real, path);
    if (stat.isCharacterDevice() && DEVICE.test(basename(realpathSync(real))))
      return await overDevice(real, path);
    throw new HostError(`${path} is neither a TPM's device nor a socket`, 'ENOTSUP', path);
  } catch (error) {
    // The device's driver was taken away meanwhile.
    if (isErrno(error, 'ENXIO', 'ENODEV')) return undefined;
    throw toHostError(error, 'opening', path);
  }
}

async function overDevice(real: string, path: string): Promise<TpmChannel> {
  const device = await open(real, 'r+');
  return {
    async transmit(command) {
      try {
        // One write is one command, one read its whole answer.
        await device.write(command, 0, command.length, null);
        const answer = Buffer.alloc(MAX_PACKET_BYTES);
        const { bytesRead } = await device.read(answer, 0, answer.length, null);
        return answer.subarray(0, bytesRead);
      } catch (error) {
        throw toHostError(error, 'talking to', path);
      }
    },
    pause: (ms) => sleep(ms),
    close: () => device.close(),
  };
}

async function overSocket(real: string, path: string): Promise<TpmChannel> {
  const socket = createConnection(real);
  await new Promise<void>((connected, failed) => socket.once('connect', connected).once('error', failed));
  // What goes wrong between two commands shows in the next one.
  socket.on('error', () => undefined);
  return {
    transmit: (command) => exchange(socket, command, path),
    pause: (ms) => sleep(ms),
    close: () =>
      new Promise((closed) => {
        // A side that has hung up already does not say so again.
        if (socket.closed) return closed();
        socket.once('close', () => closed());
        socket.end();
        socket.destroySoon();
      }),
  };
}

/** A socket has no packets: the answer's own length says where it ends. */
function exchange(socket: Socket, command: Uint8Array, path: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let answer = Buffer.alloc(0);
    const fail = (why: string, errno: string) =>
      settle(() => reject(new HostError(`${path}: ${why}`, errno, path)));
    const onData = (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      const length = answer.length < HEAD_BYTES ? MAX_PACKET_BYTES : answer.readUInt32BE(2);
      if (length > MAX_PACKET_BYTES) fail('what answers there is no TPM', 'EPROTO');
      else if (answer.length >= length) settle(() => resolve(answer));
    };
    const onError = (error: Error) => fail(error.message, 'EIO');
    const onClose = () => fail('the TPM has hung up', 'EPIPE');
    const timer = setTimeout(() => fail('the TPM does not answer', 'ETIMEDOUT'), ANSWER_MS);
    const settle = (done: () => void) => {
      clearTimeout(timer);
      socket.off('data', onData).off('error', onError).off('close', onClose);
      done();
    };
    if (socket.closed) return onClose();
    socket.on('data', onData).on('error', onError).on('close', onClose);
    socket.write(command);
  });
}
