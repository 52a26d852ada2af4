import { run } from './controller/cli/program.ts';
import { withoutNodeVariables } from './kit/environment.ts';
import { brokenOutputMessage, fatalMessage, UsageError } from './kit/errors.ts';

/** The controller's entry: arguments, exit status, nothing else; and no settings of Node.js from the environment. */
const own = withoutNodeVariables(process.env);
if (own !== undefined && process.getBuiltinModule('node:sea').isSea()) {
  // Or it would write what V8 counted into the folder that NODE_V8_COVERAGE names.
  process.getBuiltinModule('node:v8').stopCoverage();
  process.execve?.(process.execPath, [process.argv0, ...process.argv.slice(2)], own);
}

process.on('uncaughtException', (error: NodeJS.ErrnoException) => {
  // Whoever read what is printed has gone (`slipway-controller nodes | head`).
  if (error.code === 'EPIPE' && error.syscall === 'write') process.exit(0);
  complain(error, brokenOutputMessage(error));
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
    process.exit(error instanceof UsageError ? error.status : 1);
  },
);

function complain(error: unknown, words = fatalMessage(error)): void {
  process.stderr.write(`slipway-controller: ${words}\n`);
}
