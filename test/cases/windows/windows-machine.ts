import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
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
  /** Runs a program with its words and waits for its end. */
  run(program: string, ...words: string[]): Promise<Ended>;
  /**
   * Runs lines of shell around Wine, in the shared folder; `$C` is drive C. `commands LINE` runs a file of commands with that line.
   */
  script(lines: string): Promise<Ended>;
  /**
   * The same, and how the last file of commands ended: Wine cuts its own exit status to eight bits, so the machine itself
   * writes down what it saw.
   */
  told(lines: string): Promise<Ended>;
}

const RUN_MS = 600_000;

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
        binds: [
          { from: shared, to: '/shared' },
          { from: root, to: '/checkout', readOnly: true },
        ],
        env: { ...WINE_ENVIRONMENT, C: DRIVE_C, XDG_RUNTIME_DIR: '/tmp' },
        script: `${PREPARE}\n${lines}\nwineserver -w`,
        timeoutMs: RUN_MS,
      });
      return { status: code ?? -1, stdout, stderr };
    };
    const told = async (lines: string): Promise<Ended> => {
      const { stderr } = await script(lines);
      const take = (name: string): string => {
        const path = join(shared, name);
        if (!existsSync(path)) throw new Error(`nothing was run: ${stderr}`);
        const text = readFileSync(path, 'utf8');
        rmSync(path);
        return text;
      };
      const [status, out, err] = ['.status', '.stdout', '.stderr'].map(take) as [string, string, string];
      return { status: Number.parseInt(status, 10), stdout: out, stderr: err };
    };
    await use({
      shared,
      onC: (path) => join(upper, DRIVE_C, path),
      script,
      told,
      run: (program, ...words) =>
        told(`commands ${quoted([program, ...words].map((word) => `"${word}"`).join(' '))} || :`),
    });
  });
}

/**
 * Node.js under Wine writes into files, not into the pipes of Unix; Wine's own words go elsewhere. Three seconds after its last
 * program Wine ends, and its memory with it: that is a reboot. Between `same_boot` and `boot_over` there is none.
 */
const PREPARE = `ln -sfn /shared "$WINEPREFIX/dosdevices/s:"
cd /shared
commands() {
  printf '@echo off\\r\\n%s\\r\\n' "$1" >.commands.cmd
  printf '@echo off\\r\\nC:\\r\\ncd \\\\\\r\\ncall S:\\.commands.cmd >S:\\.stdout 2>S:\\.stderr\\r\\n>S:\\.status echo %%errorlevel%%\\r\\n' >.run.cmd
  wine64 cmd.exe /c 'S:\\.run.cmd' </dev/null
}
same_boot() {
  tail -f /dev/null | wine64 cmd.exe /c 'set /p held=' >/dev/null 2>&1 &
  holder=$!
}
boot_over() { kill "$holder"; }`;

/** A word of a shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
