import { LabError, startApart } from './command.ts';

interface Held {
  release: () => Promise<void>;
}

/**
 * Hold an exclusive flock on a file. A child keeps it and lives on our pipe, so the kernel lets go of the lock
 * however this process ends; there is nothing stale to clean.
 * @param onWait called once when somebody else has it
 */
export async function lock(file: string, onWait: () => void = () => {}): Promise<Held> {
  const child = startApart('flock', ['--exclusive', file, 'sh', '-c', 'echo held; read -r _ignored'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const waiting = setTimeout(onWait, 500);
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new LabError(`cannot run flock (package util-linux): ${error.message}`)),
    );
    child.once('close', (code) =>
      reject(new LabError(`cannot lock ${file}: ${said.trim() || `flock ended with status ${code}`}`)),
    );
    child.stdout?.once('data', () => resolve());
  }).finally(() => clearTimeout(waiting));
  return {
    release: async () => {
      child.stdin?.end();
      await ended;
    },
  };
}
