import { HostError } from '../../host.ts';
import type { UnaryResponse } from '../../network.ts';

/** One byte for "not compressed", four for the length. */
const PREFIX_BYTES = 5;
const ANSWER_LIMIT = 64 * 1024;

/** Makes one unary gRPC call over a Unix socket; see `Network.callUnix`. */
export async function callUnix(
  socketPath: string,
  method: string,
  message: Uint8Array,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<UnaryResponse> {
  const [{ connect }, { createConnection }] = await Promise.all([import('node:http2'), import('node:net')]);
  return new Promise((resolve, reject) => {
    const socket = createConnection(socketPath);
    const session = connect('http://localhost', { createConnection: () => socket });
    const timer = setTimeout(
      () => fail(new HostError(`${socketPath}: no answer`, 'ETIMEDOUT', socketPath)),
      timeoutMs,
    );
    const stop = (): void => fail(new HostError(`${socketPath}: broken off`, 'ABORT_ERR', socketPath));
    signal?.addEventListener('abort', stop);
    const end = (): void => {
      signal?.removeEventListener('abort', stop);
      clearTimeout(timer);
      session.destroy();
      socket.destroy();
    };
    const fail = (error: Error): void => {
      end();
      const errno = 'code' in error ? String(error.code) : 'EIO';
      reject(
        error instanceof HostError
          ? error
          : new HostError(`${socketPath}: ${error.message}`, errno, socketPath),
      );
    };
    session.on('error', fail);
    socket.on('error', fail);
    if (signal?.aborted) stop();
    const stream = session.request({
      ':method': 'POST',
      ':path': method,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let status: string | undefined;
    let words = '';
    const note = (headers: Record<string, unknown>): void => {
      status = headers['grpc-status'] === undefined ? status : String(headers['grpc-status']);
      words = headers['grpc-message'] === undefined ? words : String(headers['grpc-message']);
    };
    stream.on('response', note);
    stream.on('trailers', note);
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= ANSWER_LIMIT) chunks.push(chunk);
    });
    stream.on('error', fail);
    // Trailers may come after the last byte, so the end of the data is too early. After an error, this does
    // nothing.
    stream.on('close', () => {
      end();
      if (status === undefined) {
        reject(new HostError(`${socketPath}: what answers there is no gRPC server`, 'EPROTO', socketPath));
        return;
      }
      resolve({
        status: Number(status),
        statusMessage: words,
        message: Buffer.concat(chunks).subarray(PREFIX_BYTES),
      });
    });
    const head = Buffer.alloc(PREFIX_BYTES);
    head.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([head, message]));
  });
}
