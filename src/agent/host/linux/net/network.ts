import type { Network } from '../../host.ts';
import { createHttpClient } from './http-client.ts';
import { callUnix } from './unix-call.ts';

const BODY_LIMIT = 64 * 1024;
const TIMEOUT_MS = 5000;

/** Small GET requests; Node's own client, loaded when first used. */
export function createNetwork(): Network {
  return {
    client: createHttpClient,
    callUnix,

    async get(url, options = {}) {
      const { request } = await (url.startsWith('https:') ? import('node:https') : import('node:http'));
      return new Promise((resolve, reject) => {
        const outgoing = request(
          url,
          {
            timeout: options.timeoutMs ?? TIMEOUT_MS,
            signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
            headers: options.headers ?? {},
            ...(options.ca === undefined ? {} : { ca: options.ca }),
            ...(options.certificate === undefined ? {} : { cert: options.certificate }),
            ...(options.key === undefined ? {} : { key: options.key }),
            rejectUnauthorized: !options.insecure,
          },
          (answer) => {
            const chunks: Buffer[] = [];
            let size = 0;
            answer.on('data', (chunk: Buffer) => {
              if (size < BODY_LIMIT) chunks.push(chunk);
              size += chunk.length;
            });
            answer.on('error', reject);
            answer.on('end', () =>
              resolve({
                status: answer.statusCode ?? 0,
                headers: Object.fromEntries(
                  Object.entries(answer.headers).map(([name, value]) => [name, String(value ?? '')]),
                ),
                body: Buffer.concat(chunks).subarray(0, BODY_LIMIT).toString('utf8'),
              }),
            );
          },
        );
        outgoing.on('error', reject);
        outgoing.end();
      });
    },
  };
}
