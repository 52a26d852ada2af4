import { resolve } from 'node:path';
import { errorMessage, UsageError } from '../../kit/errors.ts';
import { visibleOutput } from '../../kit/terminal/visible.ts';
import { createHost } from '../create-host.ts';
import { diagnoseLog } from '../diagnosis/diagnose-log.ts';
import { decoded } from '../diagnosis/transcript/decode.ts';
import type { LogLine } from '../diagnosis/transcript/line.ts';
import { type LogExtent, LogWindow } from '../diagnosis/transcript/log-window.ts';
import type { Host } from '../host/host.ts';
import { formatOption, withUsageErrors } from './options/options.ts';
import { verdictAsJson, verdictAsText } from './text/diagnose-text.ts';

const CHUNK_BYTES = 1024 * 1024;
/** A line of the journal that the agent keeps. */
const OWN_RECORD = /^\{"v":\d+,"seq":\d+,/;
const OWN = 'slipway status tells it (--root DIR where the machine is mounted)';

/**
 * `slipway diagnose FILE...`: reads logs and says why kubeadm failed; reads nothing else and changes nothing.
 *
 * @returns 0 when kubeadm is in the logs, 1 when it is not, 2 when a file cannot be read.
 */
export function diagnoseCommand(files: readonly string[], options: { output: string }): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOption(options.output);
    const host = createHost({ root: '/' });
    let lines: LogLine[] = [];
    const extents: LogExtent[] = [];
    for (const file of files) {
      const name = file === '-' ? 'stdin' : file;
      const read = await readLog(name, file === '-' ? process.stdin : chunksOf(host, file));
      lines = lines.concat(read.lines);
      extents.push(read.extent);
    }
    const verdict = diagnoseLog(lines);
    process.stdout.write(
      format === 'json' ? verdictAsJson(verdict, files, extents) : verdictAsText(verdict, extents),
    );
    if (verdict.result !== 'nothing') return 0;
    const own = lines.find(({ text }) => OWN_RECORD.test(text));
    if (own)
      process.stderr.write(`slipway: ${visibleOutput(own.file)} is a journal of Slipway's own: ${OWN}\n`);
    return 1;
  });
}

async function readLog(
  name: string,
  chunks: AsyncIterable<unknown>,
): Promise<{ lines: LogLine[]; extent: LogExtent }> {
  const window = new LogWindow();
  for await (const chunk of decoded(chunks as AsyncIterable<Buffer>)) window.push(chunk);
  return window.read(name);
}

/** @throws UsageError when the file cannot be read. */
async function* chunksOf(host: Host, file: string): AsyncGenerator<Buffer> {
  const path = resolve(file);
  try {
    for (let offset = 0; ; ) {
      const chunk = await host.files.readFrom(path, offset, CHUNK_BYTES);
      if (chunk.length === 0) return;
      yield chunk;
      offset += chunk.length;
    }
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
