import { run } from './controller/cli/program.ts';
import { UsageError } from './controller/cli/usage-error.ts';
import { lastWords } from './kit/errors.ts';

/** The controller's entry: arguments, exit status, nothing else. */
process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  // Whoever read what is printed has gone (`slipway-controller nodes | head`).
  if (error.code === 'EPIPE' && error.syscall === 'write') process.exit(0);
  complain(error);
  process.exit(1);
});

run(process.argv.slice(2)).then(
  (status) => {
    // No exit: what is printed may still be on its way into a pipe.
    process.exitCode = status;
  },
  (error: unknown) => {
    complain(error);
    // A server that could not begin whole (a port that is taken) must not stay.
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);

function complain(error: unknown): void {
  process.stderr.write(`slipway-controller: ${lastWords(error)}\n`);
}
