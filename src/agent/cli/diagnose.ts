import { resolve } from 'node:path';
import { errorMessage } from '../../kit/errors.ts';
import { diagnoseLog } from '../diagnosis/diagnose-log.ts';
import type { LogLine } from '../diagnosis/transcript/line.ts';
import { LogTail } from '../diagnosis/transcript/log-tail.ts';
import { readLines } from '../diagnosis/transcript/read-lines.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { formatOption, UsageError, withUsage } from './options/options.ts';
import { verdictAsJson, verdictAsText } from './text/diagnose-text.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * `slipway diagnose FILE...`: reads logs and says why kubeadm failed; reads nothing else and changes nothing.
 *
 * @returns 0 when kubeadm is in the logs, 1 when it is not, 2 when a file cannot be read.
 */
export function diagnoseCommand(files: readonly string[], options: { output: string }): Promise<number> {
  return withUsage(async () => {
    const format = formatOption(options.output);
    const host = createLinuxHost({ root: '/' });
    const lines: LogLine[] = [];
    for (const file of files) {
      const tail = file === '-' ? await readStandardInput() : await readFileEnd(host, file);
      const { text, firstLine } = tail.read();
      lines.push(...readLines(file === '-' ? 'stdin' : file, text, firstLine));
    }
    const verdict = diagnoseLog(lines);
    process.stdout.write(
      format === 'json' ? verdictAsJson(verdict, files) : verdictAsText(verdict, files.length > 1),
    );
    return verdict.result === 'nothing' ? 1 : 0;
  });
}

async function readStandardInput(): Promise<LogTail> {
  const tail = new LogTail();
  for await (const chunk of process.stdin) tail.push(chunk as Buffer);
  return tail;
}

/** @throws UsageError when the file cannot be read. */
async function readFileEnd(host: Host, file: string): Promise<LogTail> {
  const tail = new LogTail();
  const path = resolve(file);
  try {
    for (let offset = 0; ; ) {
      const chunk = await host.files.readFrom(path, offset, CHUNK_BYTES);
      if (chunk.length === 0) return tail;
      tail.push(chunk);
      offset += chunk.length;
    }
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
