import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { nodeBinary } from '../../../../build/project.ts';

const CRASH = new URL('./crash.ts', import.meta.url).href;

it.each([
  ['waits for what cannot come any more', 'new Promise(() => undefined)', 1, /not done/],
  ['is done', 'Promise.resolve(0)', 0, /^$/],
  ['ends itself', 'new Promise(() => process.exit(0))', 0, /^$/],
  ['fails', 'Promise.reject(new Error("oh"))', 1, /oh/],
])('the exit status of a program that %s', (_, program, status, told) => {
  const code = `const { runToExitStatus } = await import(${JSON.stringify(CRASH)}); runToExitStatus(() => ${program});`;
  const ended = execaSync(nodeBinary(), ['--input-type=module', '-e', code], { reject: false });
  expect(ended.exitCode).toBe(status);
  expect(ended.stderr).toMatch(told);
});

const full = (work: string, redirected: string) => {
  const code = `const { catchUncaughtErrors, runToExitStatus } = await import(${JSON.stringify(CRASH)}); runToExitStatus(async () => { ${work} });`;
  const argv = ['-c', `exec "$0" --input-type=module -e "$1" ${redirected}`, nodeBinary(), code];
  return execaSync('sh', argv, { reject: false });
};

it.runIf(process.platform === 'linux')('says that it cannot print where no disk takes what it prints', () => {
  const ended = full(`process.stdout.write('a'); return 0;`, '>/dev/full');
  expect(ended.exitCode).toBe(1);
  expect(ended.stderr).toBe('slipway: cannot print: no space left on device');
});

it.runIf(process.platform === 'linux').each(['>/dev/full', '>/dev/full 2>/dev/full'])(
  'goes on with a run that is under way: %s',
  (redirected) => {
    const work = `
      const stop = new AbortController();
      const fault = catchUncaughtErrors(stop);
      const pause = () => new Promise((done) => setImmediate(done));
      for (const stream of [process.stdout, process.stderr, process.stdout, process.stderr])
        { stream.write('a'); await pause(); }
      await Promise.race([fault, pause()]);
      return stop.signal.aborted ? 1 : 7;`;
    expect(full(work, redirected).exitCode).toBe(7);
  },
);
