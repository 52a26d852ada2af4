import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

const SLOW_MS = 1_000;
/** Of a hundred requests so many may be slow. */
const MOST_SLOW = 0.01;
/** Where the server, or who asks it, waits longer than this for a processor, their host decides what is slow. */
const MOST_WAITING = 0.25;

/** How long requests took, and whether it was the server that let them wait or its host. */
export class Latencies {
  /** Of the server, and of who asks. */
  readonly #pids: readonly number[];
  readonly #took: number[] = [];
  readonly #before: { waited: readonly number[]; at: number };

  /** @param pid of the server, whose main thread answers */
  constructor(pid: number) {
    this.#pids = [pid, process.pid];
    this.#before = { waited: this.#pids.map(waitedMs), at: performance.now() };
  }

  async of<T>(request: Promise<T>): Promise<T> {
    const began = performance.now();
    const answer = await request;
    this.#took.push(performance.now() - began);
    return answer;
  }

  /** @returns a sentence. @throws AssertionError if more than one of a hundred was slow, and the host was not why */
  verdict(): string {
    const count = this.#took.length;
    const slow = this.#took.filter((ms) => ms > SLOW_MS).length;
    const p99 = [...this.#took].sort((a, b) => a - b)[Math.ceil(count * 0.99) - 1] ?? 0;
    const { waited, at } = this.#before;
    const shares = this.#pids.map(
      (pid, index) => (waitedMs(pid) - (waited[index] ?? 0)) / (performance.now() - at),
    );
    const waiting = Math.max(...shares);
    const [server, client] = shares.map((part) => `${Math.round(part * 100)} %`);
    const share = `its server waited ${server} of the time for a processor and its client ${client}, load ${loadavg()[0]?.toFixed(1)}`;
    const told = `${slow} of ${count} requests took longer than ${SLOW_MS} ms (99 % at most ${Math.round(p99)} ms); ${share}`;
    if (waiting > MOST_WAITING && slow > count * MOST_SLOW)
      return `${told}: this host is too busy to say more`;
    assert.ok(slow <= count * MOST_SLOW, told);
    return told;
  }
}

/** Milliseconds that a process's main thread could run and did not (proc_pid_schedstat in the kernel's sched-stats.rst). */
function waitedMs(pid: number): number {
  const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waited) / 1e6;
}
