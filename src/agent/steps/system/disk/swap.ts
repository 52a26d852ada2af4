import { dirname } from 'node:path/posix';
import type { SwapSettings } from '../../../document/system-settings.ts';
import type { Host } from '../../../host/host.ts';
import { runTool } from '../../../tools/run-tool.ts';
import type { Work } from '../../kind/step-kind.ts';
import { attempt } from '../../tools/each-entry.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;
const FSTAB = '/etc/fstab';

/** Makes a file to swap to, has it used from now on and at every boot (cloud-init's `swap` of `cc_mounts`). */
export const setUpSwap: Work<SwapSettings> = (settings) => ({
  onFailure: 'continue',
  run: ({ host, signal }) =>
    attempt(async () => {
      const { file } = settings;
      const isThere = (await host.files.stat(file)) !== undefined;
      const bytes = isThere ? 0 : await sizeOf(host, settings);
      if (!isThere && bytes < MIB) return 'none: there is no room for it';
      if (!isThere) await make(host, file, bytes, signal);
      await note(host, file);
      const isUsed = ((await host.files.readIfPresent('/proc/swaps'))?.toString('utf8') ?? '')
        .split('\n')
        .some((line) => line.startsWith(`${file} `));
      if (host.root === '/' && !isUsed)
        await runTool(host, ['swapon', file], {
          doing: `swap to ${file}`,
          code: 'SystemSettingFailed',
          signal,
        });
      return isThere ? `${file} was there` : `${file} of ${Math.floor(bytes / MIB)} MiB`;
    }),
});

async function make(host: Host, file: string, bytes: number, signal: AbortSignal): Promise<void> {
  const how = { doing: `make the swap file ${file}`, code: 'SystemSettingFailed', signal } as const;
  const beside = `${file}.slipway`;
  await host.files.mkdir(dirname(file));
  await host.files.remove(beside);
  // A file system that copies on write cannot swap to a file unless it is told before there is anything in it.
  await host.files.write(beside, '', { mode: 0o600 });
  await runTool(host, ['sh', '-c', 'chattr +C "$1" 2>/dev/null || true', 'sh', beside], how);
  await fill(host, beside, bytes, { ...how, timeoutMs: 600_000 });
  await runTool(host, ['mkswap', beside], how);
  await host.files.rename(beside, file);
}

/** Not every file system gives room that nothing has been written to. */
async function fill(
  host: Host,
  file: string,
  bytes: number,
  how: Parameters<typeof runTool>[2],
): Promise<void> {
  const size = Math.floor(bytes / MIB);
  try {
    await runTool(host, ['fallocate', '-l', `${size}M`, file], how);
  } catch (error) {
    const { freeBytes } = await host.files.space(dirname(file));
    if (freeBytes < bytes) throw error;
    await runTool(host, ['dd', 'if=/dev/zero', `of=${file}`, 'bs=1M', `count=${size}`], how);
  }
}

async function note(host: Host, file: string): Promise<void> {
  const present = (await host.files.readIfPresent(FSTAB))?.toString('utf8') ?? '';
  if (present.split('\n').some((line) => line.split(/\s+/)[0] === file)) return;
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  const fields = [file, 'none', 'swap', 'sw', '0', '0'];
  await host.files.write(FSTAB, `${present}${gap}${fields.join('\t')}\n`);
}

/** The size of the swap file: it depends on the memory, and on what the file system has left. */
async function sizeOf(host: Host, { file, size, mostBytes }: SwapSettings): Promise<number> {
  if (size !== 'auto') return size;
  const meminfo = (await host.files.readIfPresent('/proc/meminfo'))?.toString('utf8') ?? '';
  const memory = Number(/^MemTotal:\s+(\d+) kB/m.exec(meminfo)?.[1] ?? '0') * 1024;
  const { freeBytes } = await host.files.space(dirname(file));
  const most =
    mostBytes === undefined
      ? Math.min(Math.floor(freeBytes / 4), memory * 2)
      : Math.min(mostBytes, Math.floor(freeBytes * 0.9));
  return Math.min(suggested(memory), most);
}

/** As much as there is memory up to 4 GiB, then ever less of it. */
function suggested(memory: number): number {
  if (memory < 4 * GIB) return memory;
  return memory < 16 * GIB ? 4 * GIB : Math.round(Math.sqrt(memory / GIB)) * GIB;
}
