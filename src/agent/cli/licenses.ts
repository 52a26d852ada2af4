import { getAsset, isSea } from 'node:sea';

/** Where the build puts the texts; see build/binary.ts. */
const ASSET = 'licenses';

/** `slipway licenses`: the licence texts of everything in this binary. */
export function licensesCommand(): number {
  if (!isSea()) {
    process.stderr.write(
      'slipway: this is no built binary, so it holds nothing of others; npm run build writes dist/LICENSES.txt\n',
    );
    return 1;
  }
  process.stdout.write(getAsset(ASSET, 'utf8'));
  return 0;
}
