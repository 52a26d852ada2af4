import { getAsset, isSea } from 'node:sea';

/** The build writes the texts to this asset; see build/binary/licenses.ts. */
const ASSET = 'licenses';

/**
 * The command `licenses` of both programs: prints the licence texts of everything in the running binary.
 *
 * @returns the exit status
 */
export function licensesCommand(program: string): number {
  if (!isSea()) {
    process.stderr.write(
      `${program}: this is not a built binary, so it contains no third-party code; npm run build writes LICENSES.txt\n`,
    );
    return 1;
  }
  process.stdout.write(getAsset(ASSET, 'utf8'));
  return 0;
}
