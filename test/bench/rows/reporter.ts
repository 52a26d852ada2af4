import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execaSync } from 'execa';
import { nodeBinary, unitFile } from '../../../build/project.ts';
import { megabytes } from '../../../build/sizes.ts';
import { REPORT_DIR, RUN_DIR } from '../../../src/agent/document/paths.ts';
import { Journal } from '../../../src/agent/engine/journal.ts';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import type { Failure } from '../../../src/protocol/journal.ts';
import { type Running, start } from '../../lab/process/command.ts';
import { ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { BenchError } from '../measure/measure.ts';
import type { Row } from '../row.ts';
import { slipwayBinary } from '../slipway-binary.ts';

const EVENTS = 80;
/** From the last event until it counts as waiting, and how long it is watched then. */
const [SETTLE_MS, WATCH_MS, LOOK_MS] = [10_000, 20_000, 500];
const STEP = { id: 'kubeadm-join', title: 'kubeadm join', digest: 'd' };

interface Memory {
  readonly resident: number;
  /** Of it what no file backs. */
  readonly own: number;
}

/** Resident memory of a waiting `slipway report`, beside a bare Node.js that waits: the most while each is watched. */
export const reporter: Row = async ({ runs = 3, say }) => {
  const folder = mkdtempSync(join(dirname(slipwayBinary()), '.bench-'));
  const data = join(folder, 'controller');
  const controller = await ControllerProcess.start(['--standalone', `--data=${data}`, '--name=localhost']);
  try {
    const ca = (await controllerCommand(['ca', `--data=${data}`])).stdout;
    const contenders: [string, (place: string) => Promise<Memory>][] = [
      ['bare Node.js, waiting', bareNode],
      ['slipway report, nothing configured', (place) => slipwayReport(place)],
      [
        'slipway report, with a controller',
        async (place) => {
          const token = (await controllerCommand(['token', 'create', `--data=${data}`])).stdout.trim();
          const endpoints = [`https://localhost:${controller.port}`];
          return slipwayReport(place, { endpoints, ca, token });
        },
      ],
    ];
    const seen = contenders.map((): Memory[] => []);
    for (let run = 0; run < runs; run += 1) {
      for (const [index, [name, look]] of contenders.entries()) {
        const memory = await look(mkdtempSync(join(folder, 'machine-')));
        say(`${name}: ${megabytes(memory.resident)}, ${megabytes(memory.own)} of it its own`);
        seen[index]?.push(memory);
      }
    }
    const most = Math.max(...(seen.at(-1) ?? []).map(({ resident }) => resident));
    return {
      about: `resident memory while waiting, ${EVENTS} events told before; programs read from disk, ${runs} runs`,
      runs: 1,
      standings: [],
      table: [
        ['', 'resident', 'its own', 'pages of files'],
        ...contenders.map(([name], index) => [
          name,
          range(seen[index], ({ resident }) => resident),
          range(seen[index], ({ own }) => own),
          range(seen[index], ({ resident, own }) => resident - own),
        ]),
      ],
      verdicts: [
        {
          what: 'slipway report with a controller, the most',
          value: most,
          goal: 60e6,
          direction: 'most',
          unit: 'bytes',
        },
      ],
      notes: [],
    };
  } finally {
    await controller.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
};

async function bareNode(folder: string): Promise<Memory> {
  const child = start(fromDisk(nodeBinary(), folder), ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'inherit',
  });
  try {
    return await watch(child);
  } finally {
    await end(child);
  }
}

/** With the environment that its unit gives it. */
async function slipwayReport(folder: string, controller?: object): Promise<Memory> {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o600 });
  };
  const settings = { nodeTimeout: '0s', journal: 'off', console: 'off', ...(controller && { controller }) };
  const instance = basename(folder);
  put('/etc/machine-id', `${instance}\n`);
  put('/etc/slipway/config.yaml', JSON.stringify({ report: settings }));
  const agent = start('sleep', ['600'], { stdio: 'ignore' });
  const pid = agent.pid ?? 0;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  put(`${RUN_DIR}/agent.lock`, JSON.stringify({ pid, startTime }));
  const child = start(fromDisk(slipwayBinary(), folder), ['report', '--root', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, ...unitEnvironment() },
  });
  try {
    await tell(folder, instance, pid);
    const memory = await watch(child);
    if (controller) {
      const cursor = JSON.parse(readFileSync(join(folder, REPORT_DIR, 'controller.cursor'), 'utf8'));
      if (!(cursor.seq >= EVENTS)) throw new BenchError(`the controller has ${cursor.seq} events only`);
    }
    return memory;
  } finally {
    await Promise.all([end(child), end(agent)]);
  }
}

/** A join that is tried again and again. */
async function tell(folder: string, instance: string, pid: number): Promise<void> {
  const journal = await Journal.open(createLinuxHost({ root: folder }));
  const sequence = { run: 'r', sequence: 's', digest: 'd', steps: [STEP] };
  await journal.append({ type: 'run.started', run: 'r', instance, mode: 'bootstrap', agent: '0', pid });
  await journal.append({ type: 'sequence.started', ...sequence, deadlineSeconds: 900, resumed: false });
  const failure: Failure = {
    code: 'ApiServerUnreachable',
    cause: 'No answer, from 10.0.0.1.',
    remedy: 'Look at it.',
    lines: ['dial tcp 10.0.0.1:6443: connect: connection refused'],
  };
  for (let attempt = 1; attempt <= EVENTS / 2; attempt += 1) {
    const of = { step: STEP.id, digest: STEP.digest, attempt };
    await journal.append({ type: 'step.started', ...of });
    await journal.append({ type: 'step.ended', ...of, result: 'failed', ms: 5, failure, retryInMs: 50 });
    await sleep(100);
  }
  await journal.close();
}

async function watch(child: Running): Promise<Memory> {
  await sleep(SETTLE_MS);
  let most: Memory = { resident: 0, own: 0 };
  for (const end = performance.now() + WATCH_MS; performance.now() < end; await sleep(LOOK_MS)) {
    const { exitCode, spawnfile } = child.nodeChildProcess;
    if (exitCode !== null) throw new BenchError(`${spawnfile} ended instead of waiting`);
    const memory = memoryOf(child.pid ?? 0);
    if (memory.resident > most.resident) most = memory;
  }
  return most;
}

/** Exact, unlike /proc/PID/status. */
function memoryOf(pid: number): Memory {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024;
  return { resident: field('Rss'), own: field('Anonymous') };
}

/** A copy of a program that is in no memory yet, as after a boot. */
function fromDisk(program: string, folder: string): string {
  const copy = join(folder, 'program');
  copyFileSync(program, copy);
  execaSync('sync', [copy]);
  execaSync('dd', [`of=${copy}`, 'oflag=nocache', 'conv=notrunc', 'count=0'], { stdin: 'ignore' });
  const left = Number(execaSync('fincore', ['-b', '-n', '-o', 'RES', copy]).stdout);
  if (left > 0) throw new BenchError(`${left} bytes of ${copy} stay in memory; is it on a disk?`);
  return copy;
}

function unitEnvironment(): Record<string, string> {
  const words = [...unitFile('slipway-report.service').matchAll(/^Environment=(.*)$/gm)].flatMap(
    ([, line]) => line?.split(' ') ?? [],
  );
  return Object.fromEntries(words.map((word) => word.split('=', 2)));
}

async function end(child: Running): Promise<void> {
  child.kill('SIGKILL');
  await child;
}

function range(seen: readonly Memory[] = [], figure: (memory: Memory) => number): string {
  const figures = seen.map(figure);
  const [least, most] = [Math.min(...figures), Math.max(...figures)].map((bytes) => (bytes / 1e6).toFixed(1));
  return least === most ? `${least} MB` : `${least} to ${most} MB`;
}
