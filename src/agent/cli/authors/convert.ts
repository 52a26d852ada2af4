import { UsageError } from '../../../kit/errors.ts';
import { createHost } from '../../create-host.ts';
import { withUsageErrors } from '../options/options.ts';
import { printDiagnostics } from '../text/print-failure.ts';
import { readInput } from './input.ts';
import { readForOther, readUserDataFile } from './read-user-data-file.ts';

interface ConvertFlags {
  metaData?: string;
  schema?: boolean;
}

const OF_ONE_MACHINE =
  "what the user data asks for depends on the machine's metadata (its public keys or its launch index), and a document does not: give the metadata of one machine (--meta-data FILE)";

/**
 * `slipway convert FILE`: prints user data of any format as the one document, which is user data itself. What is included is
 * read, as `slipway plan` does; nothing is changed.
 *
 * @returns 0 with the document on standard output, 2 where there are errors or the file cannot be read, 75 where a server may
 *   answer later
 */
export function convertCommand(file: string | undefined, flags: ConvertFlags): Promise<number> {
  return withUsageErrors(async () => {
    if (flags.schema === true) {
      const { jsonSchema } = await import('../../userdata/native/json-schema.ts');
      process.stdout.write(`${JSON.stringify(jsonSchema(), undefined, 2)}\n`);
      return 0;
    }
    if (file === undefined) throw new UsageError('give a file with user data, or - for standard input');
    const host = createHost({ root: '/' });
    const raw = await readInput(host, file);
    const document = await readUserDataFile(host, raw, flags.metaData);
    printDiagnostics(document.report);
    if (document.report.some(({ severity }) => severity === 'error')) return 2;
    if (document.sealed || document.chunked)
      throw new UsageError(`${file} only says where the user data is; convert the user data itself`);
    const { writeNative } = await import('../../userdata/native/write-native.ts');
    const text = writeNative(document);
    if (flags.metaData === undefined && writeNative(await readForOther(host, raw)) !== text)
      throw new UsageError(OF_ONE_MACHINE);
    process.stdout.write(text);
    return 0;
  });
}
