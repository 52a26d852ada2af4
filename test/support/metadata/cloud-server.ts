import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** A request as a cloud's protocol sees it. */
export interface CloudRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: string;
  remotePort: number;
}

interface Told {
  status: number;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

export type Protocol = (asked: CloudRequest) => Told;

/** What goes wrong before the protocol is spoken. */
export interface Fault {
  /** Only requests whose path contains this; default: all. */
  at?: string;
  /** How many requests it meets; default 1. */
  times?: number;
  status?: number;
  headers?: Record<string, string>;
  /** Milliseconds before the answer. */
  slowMs?: number;
  /** The connection ends in the middle of the body. */
  cut?: boolean;
}

export interface CloudServer {
  /** `METHOD path` of each request, in order. */
  requests: string[];
  close(): Promise<void>;
}

/**
 * A cloud's metadata service at its own address, or on a socket; it listens when this resolves, unless it is to be late.
 *
 * @param lateMs it begins to listen after this time
 */
export async function serveCloud(
  place: { host: string; port: number } | { path: string },
  protocol: Protocol,
  faults: readonly Fault[],
  lateMs: number,
): Promise<CloudServer> {
  const left = faults.map((fault) => ({ ...fault, times: fault.times ?? 1 }));
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    void answer(request, response, protocol, left);
  });
  let timer: NodeJS.Timeout | undefined;
  if (lateMs === 0) await once(server.listen(place), 'listening');
  else timer = setTimeout(() => server.listen(place), lateMs);
  return {
    requests,
    async close() {
      clearTimeout(timer);
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  protocol: Protocol,
  faults: (Fault & { times: number })[],
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://server');
  const told = protocol({
    method: request.method ?? '',
    path: decodeURIComponent(url.pathname),
    query: url.searchParams,
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    ),
    body: Buffer.concat(chunks).toString('utf8'),
    remotePort: request.socket.remotePort ?? 0,
  });
  const fault = faults.find((each) => each.times > 0 && url.pathname.includes(each.at ?? ''));
  if (fault) fault.times -= 1;
  if (fault?.slowMs !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.slowMs));
  if (fault?.status !== undefined) {
    response.writeHead(fault.status, fault.headers ?? {}).end('fault');
    return;
  }
  const body = Buffer.from(told.body ?? '');
  response.writeHead(told.status, { ...told.headers, 'content-length': String(body.length) });
  if (!fault?.cut) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, body.length >> 1), () => request.socket.destroy());
}
