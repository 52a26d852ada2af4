// biome-ignore lint/style/noRestrictedImports: on Windows cmd.exe must get each word just as it is written.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

/** A Windows machine, with a folder that it shares with this program: `shared` here, `S:\` there. */
export interface WindowsMachine {
  /** Wine's, or the real one on which this runs. */
  readonly isWine: boolean;
  readonly shared: string;
  /** Path for this program of a file of drive C, given as `ProgramData/slipway/journal.jsonl`; it may be missing. */
  onC(path: string): string;
  /** What `use` has the machine do is done in one boot, which ends with it. */
  boot<T>(use: (boot: Boot) => Promise<T>): Promise<T>;
  /** Runs a program with its words in a boot of its own. */
  run(program: string, ...words: string[]): Promise<Ended>;
  /** The same for a line of a file of commands. */
  commands(line: string): Promise<Ended>;
  /** Lets drive L: be a folder of the one that is shared, with this label; on a real machine it has that of the folder's drive. */
  addDrive(folder: string, label: string): Promise<void>;
}

interface Boot {
  commands(line: string): Promise<Ended>;
  /** Ends a program as the task manager does. */
  end(pid: string): Promise<void>;
}

/** Wine's machine, for a program of Linux beside it. */
interface Wine {
  readonly shared: string;
  /** Where its files lie: WINEPREFIX. */
  readonly prefix: string;
}

const ENVIRONMENT = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment';

/** What a program gets that is started after a change of the machine's PATH; those that run already do not hear of it. */
const PATH_ANEW = `for /f "skip=2 tokens=2,*" %%a in ('reg query "${ENVIRONMENT}" /v Path') do call set "PATH=%%b"`;

/** @param wine undefined: this machine itself, with `S:\` there already; **it is changed, and not changed back** */
export function windowsMachine(wine?: Wine): WindowsMachine {
  const shared = wine ? wine.shared : 'S:\\';
  const start = (program: string, ...words: string[]): ChildProcess =>
    wine
      ? spawn('wine64', [program, ...words], { stdio: 'ignore' })
      : spawn(program, words, { stdio: 'ignore', windowsVerbatimArguments: true });
  let count = 0;
  const commands = async (line: string): Promise<Ended> => {
    count += 1;
    const [inner, outer, ...told] = ['line.cmd', 'run.cmd', 'status', 'stdout', 'stderr'].map(
      (name) => `.${count}-${name}`,
    ) as [string, string, string, string, string];
    const [status, out, err] = told.map((name) => `S:\\${name}`);
    const anew = wine ? [] : [PATH_ANEW];
    // Wine cuts its own exit status to eight bits, so the machine itself writes down what it saw.
    const call = [`call S:\\${inner} >${out} 2>${err}`, `>${status} echo %errorlevel%`];
    writeBatch(join(shared, inner), [line]);
    writeBatch(join(shared, outer), [...anew, 'C:', 'cd \\', ...call]);
    await once(start('cmd.exe', '/c', `S:\\${outer}`), 'exit');
    const [code = '', stdout = '', stderr = ''] = told.map((name) => {
      const path = join(shared, name);
      return existsSync(path) ? readFileSync(path, 'utf8') : '';
    });
    if (code === '') throw new Error(`was not run to its end: ${line}\n${stdout}\n${stderr}`);
    return { status: Number.parseInt(code, 10), stdout, stderr };
  };
  const boot = async <T>(use: (boot: Boot) => Promise<T>): Promise<T> => {
    const letGo = wine ? holdWine() : () => {};
    try {
      return await use({
        commands,
        end: async (pid) => void (await once(start('taskkill.exe', '/f', '/pid', pid), 'exit')),
      });
    } finally {
      letGo();
      await endBoot(wine !== undefined);
    }
  };
  const alone = async (line: string): Promise<Ended> => {
    const ended = await commands(line);
    await endBoot(wine !== undefined);
    return ended;
  };
  return {
    isWine: wine !== undefined,
    shared,
    onC: (path) => (wine ? join(wine.prefix, 'drive_c', path) : join('C:\\', path)),
    boot,
    commands: alone,
    run: (program, ...words) => alone([program, ...words].map((word) => `"${word}"`).join(' ')),
    addDrive: async (folder, label) => {
      if (wine) writeFileSync(join(shared, folder, '.windows-label'), `${label}\n`);
      else await alone(`label C: ${label}`);
      const [program, ...words] = wine
        ? ['ln', '-sfn', join(shared, folder), join(wine.prefix, 'dosdevices/l:')]
        : ['subst', 'L:', `S:\\${folder}`];
      const [status] = await once(spawn(program ?? '', words, { stdio: 'ignore' }), 'exit');
      if (status !== 0) throw new Error(`there is no drive L: ${program} ended with ${status}`);
    },
  };
}

function writeBatch(path: string, lines: readonly string[]): void {
  writeFileSync(path, `@echo off\r\n${lines.join('\r\n')}\r\n`);
}

/** Wine ends some seconds after its last program: this is one that waits. */
function holdWine(): () => void {
  const waits = "tail -f /dev/null | wine64 cmd.exe /c 'set /p held='";
  const { pid } = spawn('sh', ['-c', waits], { stdio: 'ignore', detached: true });
  return () => void (pid !== undefined && process.kill(-pid, 'SIGKILL'));
}

/**
 * When Wine has ended, what its registry keeps in memory alone is gone, as after a reboot of Windows. A machine that runs this
 * very program cannot boot meanwhile: what it would have forgotten is taken away.
 */
async function endBoot(isWine: boolean): Promise<void> {
  if (isWine) return void (await once(spawn('wineserver', ['-w'], { stdio: 'ignore' }), 'exit'));
  const words = ['delete', 'HKLM\\HARDWARE\\DESCRIPTION\\System', '/v', 'SlipwayBootId', '/f'];
  await once(spawn('reg.exe', words, { stdio: 'ignore' }), 'exit');
}

/** Waits for what must come; whoever runs this has the limit. */
export async function until(isThere: () => boolean): Promise<void> {
  while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 50));
}
