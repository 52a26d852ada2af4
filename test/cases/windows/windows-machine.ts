import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DRIVE_C, inRoot, WINE_ENVIRONMENT, wineLayers, withScratchDir } from '../../lab/lab.ts';

export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

/** A Windows machine of Wine, with a folder that it shares with this host: `shared` here, `S:\` there. */
export interface WindowsMachine {
  /** Path of the shared folder on this host. */
  readonly shared: string;
  /** Path on this host of a file of drive C, given as `ProgramData/slipway/journal.jsonl`; it may be missing. */
  onC(path: string): string;
  /**
   * Runs a program with its words and waits for its end. Wine cuts its own exit status to eight bits, so cmd, which is in
   * between, writes down what it saw.
   */
  run(program: string, ...words: string[]): Promise<Ended>;
  /** Lines of shell around Wine, for what `run` cannot: `windows PROGRAM WORD...` starts a program. */
  script(lines: string): Promise<Ended>;
}

const RUN_MS = 120_000;

/** Gives `use` a machine that nobody else has. */
export function withWindowsMachine(
  say: (line: string) => void,
  use: (machine: WindowsMachine) => Promise<void>,
): Promise<void> {
  return withScratchDir(async (dir) => {
    const lower = await wineLayers(say);
    const [upper, shared] = [join(dir, 'upper'), join(dir, 'shared')];
    for (const folder of [upper, shared]) mkdirSync(folder);
    const script = async (lines: string): Promise<Ended> => {
      const { code, stdout, stderr } = await inRoot({
        lower,
        upper,
        binds: [{ from: shared, to: '/shared' }],
        env: { ...WINE_ENVIRONMENT, XDG_RUNTIME_DIR: '/tmp' },
        script: `${PREPARE}\n${lines}\nwineserver -w`,
        timeoutMs: RUN_MS,
      });
      return { status: code ?? -1, stdout, stderr };
    };
    await use({
      shared,
      onC: (path) => join(upper, DRIVE_C, path),
      script,
      async run(program, ...words) {
        const { stderr } = await script(`windows ${[program, ...words].map(quoted).join(' ')} || :`);
        const take = (name: string): string => {
          const path = join(shared, name);
          const text = readFileSync(path, 'utf8');
          rmSync(path);
          return text;
        };
        const [status, out, err] = ['.status', '.stdout', '.stderr'].map(take) as [string, string, string];
        if (!/^-?\d+/.test(status)) throw new Error(`${program} was not run: ${stderr}${err}`);
        return { status: Number.parseInt(status, 10), stdout: out, stderr: err };
      },
    });
  });
}

/** Node.js under Wine writes into files, not into the pipes of Unix; Wine's own words go elsewhere. */
const PREPARE = `ln -sfn /shared "$WINEPREFIX/dosdevices/s:"
cd /shared
windows() {
  printf '@echo off\\r\\n%s>S:\\.stdout 2>S:\\.stderr\\r\\n>S:\\.status echo %%errorlevel%%\\r\\n' "$(line "$@")" >.run.cmd
  wine64 cmd.exe /c 'S:\\.run.cmd' </dev/null
}
line() { for word; do printf '"%s" ' "$word"; done; }`;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
