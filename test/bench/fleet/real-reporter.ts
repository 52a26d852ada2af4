import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeBinary, root } from '../../../build/project.ts';
import { OUTCOME, RUN_DIR } from '../../../src/agent/document/paths.ts';
import { Journal } from '../../../src/agent/engine/journal.ts';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import type { RecordBody } from '../../../src/protocol/journal.ts';
import { type Running, start } from '../../lab/process/command.ts';
import type { BenchScene } from './scene.ts';

const STEP = { id: 'kubeadm-join', title: 'kubeadm join', digest: 'd' };

/** A real `slipway report` on a root of its own, with a journal and the lock of an agent that is a sleeping process. */
export class RealReporter {
  readonly #scene: BenchScene;
  readonly #name: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-bench-report-'));
  readonly #children: Running[] = [];

  private constructor(scene: BenchScene, name: string) {
    this.#scene = scene;
    this.#name = name;
  }

  /** @returns when it has enrolled */
  static async start(scene: BenchScene, name: string): Promise<RealReporter> {
    const reporter = new RealReporter(scene, name);
    await scene.cluster.createMachine(name, { token: true });
    reporter.#configure(await scene.cluster.machineToken(name));
    const agent = reporter.#spawn('sleep', ['600']);
    const pid = agent.pid ?? 0;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    reporter.#put(`${RUN_DIR}/agent.lock`, JSON.stringify({ pid, startTime }));
    await reporter.#journal(
      { type: 'run.started', run: 'r', instance: name, mode: 'bootstrap', agent: '0.1.0', pid },
      {
        type: 'sequence.started',
        run: 'r',
        sequence: 's',
        digest: 'd',
        steps: [STEP],
        deadlineSeconds: 900,
        resumed: false,
      },
      { type: 'step.started', step: STEP.id, digest: 'd', attempt: 1 },
    );
    reporter.#spawn(nodeBinary(), [join(root, 'src/slipway.ts'), 'report', '--root', reporter.#folder]);
    await scene.cluster.enrolled(name);
    // What was begun is sent and held; the measured part starts from rest.
    await sleep(1_000);
    return reporter;
  }

  /** @returns milliseconds from outcome.json to the condition */
  async succeed(): Promise<number> {
    await this.#journal(
      { type: 'step.ended', step: STEP.id, digest: 'd', attempt: 1, result: 'done', ms: 10 },
      { type: 'sequence.ended', run: 'r', sequence: 's', result: 'succeeded', exitStatus: 0, ms: 20 },
    );
    this.#put(OUTCOME, '{}');
    const began = performance.now();
    await this.#scene.cluster.conditionIs(this.#name, 'True', 20_000);
    return performance.now() - began;
  }

  /** @returns milliseconds from kill -9 to the condition */
  async kill(): Promise<number> {
    const [agent] = this.#children;
    agent?.kill('SIGKILL');
    const began = performance.now();
    await this.#scene.cluster.conditionIs(this.#name, 'False', 20_000);
    return performance.now() - began;
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      child.kill('SIGKILL');
      await child;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #configure(token: string): void {
    const { ca, controller } = this.#scene;
    this.#put('/etc/machine-id', `${this.#name}\n`);
    const settings = {
      nodeTimeout: '0s',
      journal: 'off',
      controller: { endpoints: [`https://127.0.0.1:${controller.port}`], token, ca },
    };
    this.#put('/etc/slipway/config.d/50-bench.yaml', JSON.stringify({ report: settings }));
  }

  #put(path: string, text: string): void {
    const full = join(this.#folder, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, { mode: 0o600 });
  }

  async #journal(...records: RecordBody[]): Promise<void> {
    const journal = await Journal.open(createLinuxHost({ root: this.#folder }));
    for (const record of records) await journal.append(record);
    await journal.close();
  }

  #spawn(program: string, words: readonly string[]): Running {
    const child = start(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
    this.#children.push(child);
    return child;
  }
}
