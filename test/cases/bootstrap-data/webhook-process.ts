import { createInterface } from 'node:readline';
import type { Running } from '../../lab/process/command.ts';
import { startController } from '../../support/controller/controller-process.ts';

/** `slipway-controller webhook` as a process of its own. */
export class WebhookProcess {
  readonly lines: string[] = [];
  port = 0;
  readonly #child: Running;

  private constructor(child: Running) {
    this.#child = child;
  }

  /** @returns when it serves @throws Error with its log when it ends before */
  static async start(words: readonly string[]): Promise<WebhookProcess> {
    const ports = ['--admin-listen=127.0.0.1:0', '--probe-listen=127.0.0.1:0'];
    const child = startController(['webhook', ...ports, ...words]);
    const webhook = new WebhookProcess(child);
    await new Promise<void>((resolve, reject) => {
      if (!child.stderr) throw new Error('the webhook has no standard error');
      createInterface(child.stderr).on('line', (line) => {
        webhook.lines.push(line);
        const { message, port } = JSON.parse(line) as { message?: string; port?: number };
        if (message !== 'serves') return;
        webhook.port = port ?? 0;
        resolve();
      });
      void child.then(() => reject(new Error(`the webhook ended:\n${webhook.lines.join('\n')}`)));
    });
    return webhook;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.#child;
  }
}
