import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Files over HTTP on this machine's loopback, for tests of downloads. */
export class FileServer {
  readonly url: string;
  /** Paths asked for, in order. */
  readonly asked: string[];
  readonly #server: Server;

  private constructor(server: Server, asked: string[]) {
    this.#server = server;
    this.asked = asked;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** `content` of a path; undefined: 404. */
  static async start(content: (path: string) => Buffer | undefined): Promise<FileServer> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      const file = content(path);
      response.writeHead(file === undefined ? 404 : 200).end(file);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FileServer(server, asked);
  }

  close(): void {
    this.#server.close();
  }
}
