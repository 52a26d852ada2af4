import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { prune } from '../cache/cache.ts';
import { needRequirements } from '../host/requirements.ts';
import type { Role } from '../images/images.ts';
import { collectGarbage, labIds, machineNames, readRecord, USER_LAB } from '../lab-record.ts';
import { Machine } from '../machine/machine.ts';
import type { MachineFile } from '../machine/machine-files.ts';
import { readMachineRecord } from '../machine/machine-record.ts';
import { attachUserLab, openUserLab, userLab } from '../open-lab.ts';
import { prepareAll } from '../prepare.ts';
import { finish, LabError } from '../process/command.ts';
import { leaveHost } from '../room.ts';
import { selfCheck } from '../self-check.ts';

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

export async function prepare(): Promise<void> {
  await needRequirements();
  await prepareAll(say);
  say('ready');
}

export async function checkSelf(): Promise<void> {
  await needRequirements();
  await selfCheck((line) => process.stdout.write(`${line}\n`));
}

interface UpFlags {
  cloudInit?: boolean;
  role: Role;
  ip?: string;
  seed?: string;
  file: string[];
}

export async function up(name: string, flags: UpFlags): Promise<void> {
  const files: Record<string, MachineFile> = {};
  if (flags.seed !== undefined) {
    for (const entry of await readdir(flags.seed)) {
      files[join('/var/lib/cloud/seed/nocloud', entry)] = { from: resolve(flags.seed, entry), mode: 0o600 };
    }
  }
  for (const pair of flags.file) {
    const at = pair.indexOf('=');
    if (at < 1) throw new LabError(`--file takes DEST=SOURCE, not "${pair}"`);
    files[pair.slice(0, at)] = { from: resolve(pair.slice(at + 1)), mode: 0o755 };
  }
  const lab = await openUserLab({ say });
  const machine = await lab.up(name, {
    role: flags.role,
    cloudInit: flags.cloudInit === true,
    ...(flags.ip === undefined ? {} : { ip: flags.ip }),
    files,
  });
  process.stdout.write(`${name} is up at ${machine.ip}\n`);
}

/** Resolves with the command's exit status; 128 + number for a signal. */
export async function exec(name: string, command: readonly string[]): Promise<number> {
  const machine = await (await userLab()).machine(name);
  const env: Record<string, string> = process.env.TERM ? { TERM: process.env.TERM } : {};
  const child = machine.spawn(command, { stdio: 'inherit', env });
  // Ctrl-C is for the command inside, which the terminal tells as well.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    const { code, signal } = await finish(child, `entering ${name}`);
    return code ?? 128 + (signal === 'SIGKILL' ? 9 : 15);
  } finally {
    process.off('SIGINT', ignore);
  }
}

export interface LogFlags {
  console?: boolean;
  allBoots?: boolean;
  follow?: boolean;
}

/** Resolves with journalctl's exit status. */
export async function logs(name: string, unit: string | undefined, flags: LogFlags): Promise<number> {
  if (flags.console) {
    process.stdout.write((await (await userLab()).machine(name)).console);
    return 0;
  }
  return exec(name, [
    ...['journalctl', '--no-pager', '--output=short-precise'],
    ...(flags.allBoots ? [] : ['--boot']),
    ...(flags.follow ? ['--follow'] : []),
    ...(unit === undefined ? [] : ['--unit', unit]),
  ]);
}

export async function reboot(name: string, flags: { hard?: boolean }): Promise<void> {
  const machine = await (await userLab()).machine(name);
  await machine.reboot({ hard: flags.hard === true });
  process.stdout.write(`${name} is up again\n`);
}

export async function down(name: string | undefined, flags: { all?: boolean }): Promise<void> {
  if (flags.all) {
    const lab = await attachUserLab();
    await lab?.close();
    await collectGarbage();
    await leaveHost();
    return;
  }
  if (name === undefined) throw new LabError('say which machine, or --all');
  const lab = await userLab();
  await (await lab.machine(name)).down();
  if ((await machineNames(lab.id)).length > 0) return;
  if (await lab.hasControlPlane())
    say('the control plane stays; `npm run lab -- down --all` takes it away too');
  else await lab.close();
}

export async function list(): Promise<void> {
  const rows: string[][] = [['MACHINE', 'STATE', 'ADDRESS', 'ROLE', 'CLOUD-INIT', 'OWNER']];
  for (const id of await labIds()) {
    const owner = (await readRecord(id))?.owner;
    for (const name of await machineNames(id)) {
      // It may be taken away, or not be written yet, at this moment.
      const record = await readMachineRecord(id, name).catch(() => undefined);
      if (record === undefined) continue;
      const whose = id === USER_LAB ? 'you' : `process ${owner?.pid ?? '?'}`;
      rows.push([
        name,
        new Machine(record).state,
        record.ip,
        record.role,
        record.cloudInit ? 'yes' : 'no',
        whose,
      ]);
    }
  }
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

export async function gc(flags: { cache?: boolean }): Promise<void> {
  const gone = await collectGarbage();
  await leaveHost();
  process.stdout.write(gone.length === 0 ? 'nothing was left behind\n' : `took away ${gone.join(', ')}\n`);
  if (!flags.cache) return;
  if ((await labIds()).length > 0) throw new LabError('machines run on the cache: take them down first');
  const removed = await prune(await prepareAll(say));
  process.stdout.write(
    removed.length === 0 ? 'the cache holds nothing superfluous\n' : `removed ${removed.join(', ')}\n`,
  );
}
