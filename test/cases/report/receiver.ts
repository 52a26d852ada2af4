import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Lab, Machine } from '../../lab/lab.ts';

const BINARY = join(import.meta.dirname, '../../../dist/slipway-controller-linux-x64');
const PROGRAM = '/usr/local/bin/slipway-controller';
const DATA = '/var/lib/slipway-controller';
const PORT = 8443;

/** One event as `slipway-controller node NAME --output json` has it. */
export interface ToldEvent {
  type: string;
  seq: number;
  time: string;
  [field: string]: unknown;
}

/** The real controller, with a database of its own, on a machine of its own. */
export class LabController {
  readonly machine: Machine;
  readonly ca: string;

  private constructor(machine: Machine, ca: string) {
    this.machine = machine;
    this.ca = ca;
  }

  static async start(lab: Lab): Promise<LabController> {
    if (!existsSync(BINARY)) throw new Error(`${BINARY} is not there; run: npm run build`);
    const machine = await lab.up('controller', {
      role: 'worker',
      ready: 'init',
      files: { [PROGRAM]: { from: BINARY, mode: 0o755 } },
    });
    const serve = `${PROGRAM} serve --standalone --data ${DATA} --listen :${PORT} --name ${machine.ip}`;
    await machine.execOk([
      'systemd-run',
      '--unit=slipway-controller',
      '-p',
      'Restart=always',
      'sh',
      '-c',
      serve,
    ]);
    const ca = await machine.waitFor(
      async () => {
        const answer = await machine.exec([PROGRAM, 'ca', '--data', DATA]);
        return answer.code === 0 && answer.stdout.includes('BEGIN CERTIFICATE') && answer.stdout;
      },
      { timeoutMs: 600_000, what: 'the controller to have an authority' },
    );
    return new LabController(machine, ca);
  }

  /** Keeps what it has now. */
  async snapshot(): Promise<void> {
    await this.#frozen(`rm -rf ${DATA}.kept && cp -a ${DATA} ${DATA}.kept`);
  }

  /** It starts anew with what it had at the snapshot, as after a backup was restored. */
  async restore(): Promise<void> {
    await this.#frozen(`rm -rf ${DATA} && cp -a ${DATA}.kept ${DATA}`);
    await this.machine.execOk(['systemctl', 'kill', '--signal=KILL', 'slipway-controller']);
  }

  async #frozen(script: string): Promise<void> {
    const signal = (name: string) =>
      this.machine.execOk(['systemctl', 'kill', `--signal=${name}`, 'slipway-controller']);
    await signal('STOP');
    await this.machine.execOk(['sh', '-c', script]);
    await signal('CONT');
  }

  get url(): string {
    return `https://${this.machine.ip}:${PORT}`;
  }

  /** The settings that let a machine report here: a token of its own, used once. */
  async settingsFor(name: string): Promise<string> {
    const token = await this.machine.execOk([PROGRAM, 'token', '--machine', name, '--data', DATA]);
    const indented = this.ca.trimEnd().replace(/^/gm, '      ');
    return `report:
  controller:
    endpoints: ["${this.url}"]
    token: "${token.trim()}"
    ca: |
${indented}
`;
  }

  /** What the controller knows of a machine; undefined while it knows none of that name. */
  async node(hostname: string): Promise<{ events: ToldEvent[]; text: string } | undefined> {
    const answer = await this.machine.exec([PROGRAM, 'node', hostname, '--data', DATA, '--output', 'json']);
    if (answer.code !== 0) return undefined;
    return { events: JSON.parse(answer.stdout).eventLog, text: answer.stdout };
  }

  /** Waits for an event that `fits`. */
  async told(hostname: string, what: string, fits: (event: ToldEvent) => boolean): Promise<ToldEvent> {
    return this.machine.waitFor(async () => (await this.node(hostname))?.events.find(fits) ?? false, {
      timeoutMs: 600_000,
      what: `the controller to hear of ${hostname}: ${what}`,
    }) as Promise<ToldEvent>;
  }
}
