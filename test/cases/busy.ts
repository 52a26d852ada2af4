import { cpus } from 'node:os';

/** Begins to watch this host's processors. @returns says which share of their time, 0 to 1, they were busy since then */
export function watchProcessors(): () => number {
  const before = times();
  return () => {
    const now = times();
    return (now.busy - before.busy) / Math.max(1, now.all - before.all);
  };
}

function times(): { busy: number; all: number } {
  const all = cpus().map(({ times: { user, nice, sys, irq, idle } }) => ({
    busy: user + nice + sys + irq,
    all: user + nice + sys + irq + idle,
  }));
  return { busy: sum(all.map(({ busy }) => busy)), all: sum(all.map((one) => one.all)) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
