import { request } from 'node:http';

/** What a plain port of the controller answers. @throws Error where it does not within a minute */
export function ask(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, timeout: 60_000 }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.once('end', () => resolve(text));
    });
    asked.once('timeout', () => asked.destroy(new Error(`no answer of port ${port} for a minute`)));
    asked.once('error', reject).end();
  });
}
