import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CommandResult } from '../../../src/agent/host/processes.ts';

const LINK = '/run/systemd/units/invocation:kubeadm.service';
const us = (ms: number) => String(ms * 1000);

/** systemd and its journal where there is no kubeadm.service: says what systemctl and journalctl of systemd 252 say. */
export class FakeKubeadmUnit {
  /** The journal's words by invocation. */
  journal: Record<string, string> = {};
  /** How often systemctl was called. */
  asked = 0;
  /** Does systemctl get an answer? */
  answers = true;
  readonly #root: string;
  readonly #now: () => number;
  #properties: Record<string, string> = {};

  /** @param now milliseconds since boot */
  constructor(root: string, now: () => number) {
    this.#root = root;
    this.#now = now;
    this.idle();
  }

  /** Never started, or ended well and unloaded. */
  idle(): void {
    this.#link(undefined);
    this.#properties = { ActiveState: 'inactive', SubState: 'dead', Result: 'success', NRestarts: '0' };
    this.#set({ ExecMainCode: '0', ExecMainStatus: '0', InvocationID: '', RestartUSec: '100ms' });
  }

  running(invocation: string, more: Record<string, string> = {}): void {
    this.idle();
    this.#link(invocation);
    this.#set({ ActiveState: 'activating', SubState: 'start', InvocationID: invocation });
    this.#set({ ExecMainStartTimestampMonotonic: us(this.#now()), ...more });
  }

  failed(more: Record<string, string> = {}): void {
    this.#link(undefined);
    this.#set({ ActiveState: 'failed', SubState: 'failed', Result: 'exit-code' });
    this.#set({ ExecMainCode: '1', ExecMainStatus: '1', ExecMainExitTimestampMonotonic: us(this.#now()) });
    this.#set(more);
  }

  answer(argv: readonly string[]): CommandResult {
    const said = (stdout: string) => ({ exitStatus: 0, stdout, stderr: '', timedOut: false, ms: 1 });
    if (argv[0] === 'systemctl') {
      this.asked += 1;
      if (!this.answers) return { ...said(''), exitStatus: 1 };
      const lines = Object.entries(this.#properties).map(([name, value]) => `${name}=${value}\n`);
      return said(lines.join(''));
    }
    const invocation = argv.find((word) => word.startsWith('_SYSTEMD_INVOCATION_ID='))?.split('=')[1];
    return said(invocation === undefined ? '' : (this.journal[invocation] ?? ''));
  }

  #set(properties: Record<string, string>): void {
    Object.assign(this.#properties, properties);
  }

  #link(invocation: string | undefined): void {
    const path = join(this.#root, LINK);
    rmSync(path, { force: true });
    mkdirSync(dirname(path), { recursive: true });
    if (invocation !== undefined) symlinkSync(invocation, path);
  }
}
