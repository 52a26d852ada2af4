import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type ControlPlane, type Finished, type Lab, type Machine, openLab } from '../lab/lab.ts';
import { joinableCluster, newCluster } from '../support/cluster-api/lab-cluster.ts';
import { expectNoStackTrace } from '../support/expect-outcome.ts';
import { bootMachine, SEED, waitForReady } from '../support/machines.ts';
import { type CaseFile, type Expectation, fileOf, readCase, type Step } from './case-file.ts';
import { applyRoots } from './roots.ts';
import { fill, secretsOf, type Values, valuesOf } from './values.ts';
import { expectPart, expectVerdict } from './verdict.ts';

type Say = (line: string) => void;

const LIBRARY = readFileSync(join(import.meta.dirname, 'expect.sh'), 'utf8');
const REMAINS = readFileSync(join(import.meta.dirname, 'remains.sh'), 'utf8');
const USER_DATA = '/tmp/user-data';
const REMAINS_MS = 60_000;
/** No step takes longer unless something is wrong. */
const LIMIT_MS = 900_000;

/** Does what a case.yaml says, on machines of a lab of its own. @throws AssertionError at what is not as it says */
export async function play(folder: string, say: Say): Promise<void> {
  const content = readCase(folder);
  if (content.roots) await applyRoots(folder, content.roots, say);
  if (content.steps) await playSteps(folder, content, content.steps, say);
}

async function playSteps(folder: string, content: CaseFile, steps: readonly Step[], say: Say): Promise<void> {
  const lab = await openLab();
  try {
    const controlPlane = content.cluster === 'lab' ? await lab.controlPlane() : undefined;
    const cluster = controlPlane
      ? await joinableCluster(controlPlane)
      : content.cluster && (await newCluster(content.cluster));
    const secrets = [...(cluster ? secretsOf(cluster) : []), ...(content.secrets ?? [])];
    const player = new Player(
      folder,
      content,
      lab,
      controlPlane,
      cluster ? await valuesOf(cluster) : {},
      secrets,
    );
    for (const [index, step] of steps.entries()) {
      await player.play(step).catch(async (error: unknown) => {
        say(await player.remains());
        throw new Error(`step ${index + 1} (${Object.entries(step)[0]?.join(': ')})`, { cause: error });
      });
      if (step.say) say(step.say);
    }
  } finally {
    await lab.close();
  }
}

class Player {
  readonly #machines = new Map<string, Machine>();
  /** The machine that steps are about when they do not say which. */
  #last = '';
  readonly #folder: string;
  readonly #content: CaseFile;
  readonly #lab: Lab;
  readonly #controlPlane: ControlPlane | undefined;
  readonly #values: Values;
  readonly #secrets: readonly string[];

  constructor(
    folder: string,
    content: CaseFile,
    lab: Lab,
    controlPlane: ControlPlane | undefined,
    values: Values,
    secrets: readonly string[],
  ) {
    this.#folder = folder;
    this.#content = content;
    this.#lab = lab;
    this.#controlPlane = controlPlane;
    this.#values = values;
    this.#secrets = secrets;
  }

  async play(step: Step): Promise<void> {
    this.#last = step.on ?? step.boot ?? step.reboot ?? step['cut-power'] ?? this.#last;
    const done = await this.#act(step);
    if (done) this.#check(step, done);
    if (step.expect) await expectVerdict(this.#machine(), this.#known(step.expect), this.#secrets);
  }

  /** The last lines of the logs of the machine that the last step was about; empty where there is none. */
  async remains(): Promise<string> {
    try {
      const { stdout } = await this.#machine().exec(['bash', '-c', REMAINS], { timeoutMs: REMAINS_MS });
      return `${this.#last}, when the step had failed:\n${stdout}`;
    } catch {
      return '';
    }
  }

  async #act(step: Step): Promise<Finished | undefined> {
    if (step.boot) await this.#boot(step.boot);
    else if (step.reboot) await this.#machine().reboot();
    else if (step['cut-power']) await this.#machine().reboot({ hard: true });
    else if (step.down) await this.#machine(step.down).down();
    else if (step.put) await this.#put(step.put, step.with);
    else if (step.unzstd) await this.#unzstd(step.unzstd);
    else if (step.ready) await waitForReady(this.#machine(), step.ready);
    else if (step.wait) return this.#exec(['slipway', 'status', '--wait', '--timeout', '10m'], step);
    else if (step.run) return this.#run(step.run, step);
    else if (step.bootstrap) return this.#bootstrap(step.bootstrap, step);
    else if (step.kubectl) return this.#kubectl(step.kubectl, step);
    return undefined;
  }

  /** What is told as progress may name the release. */
  #known({ journal, ...rest }: Expectation): Expectation {
    return journal ? { ...rest, journal: journal.map((text) => fill(text, this.#values)) } : rest;
  }

  async #boot(name: string): Promise<void> {
    const spec = this.#content.machines?.[name];
    if (!spec) throw new Error(`no machine "${name}"`);
    const { role, mode, ip, up = 'containerd', files = {} } = spec;
    const staged = Object.entries(files).map(
      ([path, file]) => [path, { from: fileOf(this.#folder, file), mode: 0o755 }] as const,
    );
    const machine = await bootMachine(this.#lab, name, {
      role,
      mode,
      ready: up,
      ...(ip === undefined ? {} : { ip }),
      userData: this.#filled(spec['user-data'], { NAME: name, IP: ip ?? '', ...spec.with }),
      files: Object.fromEntries(staged),
    });
    this.#machines.set(name, machine);
  }

  #machine(name = this.#last): Machine {
    const machine = this.#machines.get(name);
    if (!machine) throw new Error(`machine "${name}" was not booted yet`);
    return machine;
  }

  #filled(file: string, more: Values = {}): string {
    return fill(readFileSync(fileOf(this.#folder, file), 'utf8'), { ...this.#values, ...more });
  }

  async #put(files: Record<string, string>, more?: Values): Promise<void> {
    for (const [path, file] of Object.entries(files))
      await this.#machine().put(path, this.#filled(file, more), file.endsWith('.sh') ? 0o755 : 0o600);
  }

  /** Machines have no zstd. */
  async #unzstd(path: string): Promise<void> {
    const packed = Buffer.from(await this.#machine().execOk(['base64', '-w0', path]), 'base64');
    await this.#machine().put(path.replace(/\.zst$/, ''), zstdDecompressSync(packed), 0o600);
  }

  /** A script of the case with its arguments, or a line of shell. */
  #run(line: string, step: Step): Promise<Finished> {
    const [first = '', ...args] = line.split(' ');
    const script = first.endsWith('.sh') ? readFileSync(fileOf(this.#folder, first), 'utf8') : line;
    const words = first.endsWith('.sh') ? [first, ...args] : ['case'];
    return this.#exec(['bash', '-euo', 'pipefail', '-c', `${LIBRARY}\n${script}`, ...words], step);
  }

  /** `seed`: the machine's own user data; a path: a file that is there; else a file of the case. */
  async #bootstrap(source: string, step: Step): Promise<Finished> {
    const flags = step.deadline === undefined ? [] : ['--deadline', step.deadline];
    if (source === 'seed') return this.#exec(['slipway', 'bootstrap', '--verbose', ...flags], step);
    if (!source.startsWith('/'))
      await this.#machine().put(
        USER_DATA,
        this.#filled(fill(source, this.#values), { NAME: this.#last, ...step.with }),
        0o600,
      );
    const path = source.startsWith('/') ? source : USER_DATA;
    const where = ['--user-data', path, '--meta-data', `${SEED}/meta-data`];
    const done = await this.#exec(['slipway', 'bootstrap', ...where, ...flags], step);
    expectNoStackTrace(done.stdout + done.stderr);
    if (step.expect?.code)
      assert.match(
        done.stderr,
        new RegExp(step.expect.code),
        `standard error tells the code: ${done.stderr.slice(-2000)}`,
      );
    return done;
  }

  async #kubectl(line: string, step: Step): Promise<Finished> {
    const words = fill(line, { ...this.#values, CASE: this.#folder }).split(' ');
    if (this.#controlPlane) return this.#controlPlane.run('kubectl', words);
    return this.#exec(['kubectl', '--kubeconfig', '/etc/kubernetes/admin.conf', ...words], step);
  }

  #exec(command: string[], step: Step): Promise<Finished> {
    const { CERTIFICATES: _, ...values } = this.#values;
    return this.#machine().exec(command, { timeoutMs: LIMIT_MS, env: { ...values, ...step.env } });
  }

  #check({ status, expect, prints, stdout = [], stderr = [], json }: Step, done: Finished): void {
    const told = `${done.stdout.slice(-3000)}\n${done.stderr.slice(-3000)}`;
    const ends = status ?? expect?.status ?? 0;
    if (ends !== 'any') assert.equal(done.code, ends, `exit status; it said:\n${told}`);
    if (prints !== undefined) assert.equal(done.stdout, prints);
    for (const text of [stdout].flat()) assert.match(done.stdout, new RegExp(text, 'm'), told);
    for (const text of [stderr].flat()) assert.match(done.stderr, new RegExp(text, 'm'), told);
    if (json !== undefined) expectPart(JSON.parse(done.stdout), json, told);
  }
}
