import { errorMessage, UsageError } from '../../kit/errors.ts';
import { createHost } from '../create-host.ts';
import { formatOption, pathOption, withUsageErrors } from './options/options.ts';
import { version, versionText } from './process/version.ts';

declare const SLIPWAY_PUBLIC_KEY: string | undefined;

interface VersionFlags {
  output: string;
  verify?: string;
  publicKey?: string;
}

/** `slipway version`, where its words have to be read with care (see `versionOutput`). */
export function versionCommand({ output, verify, publicKey }: VersionFlags): Promise<number> {
  return withUsageErrors(async () => {
    const json = formatOption(output) === 'json';
    if (verify === undefined && publicKey !== undefined)
      throw new UsageError('--public-key is for --verify SHA256SUMS, which is missing');
    if (verify !== undefined) return verifyCommand(json, pathOption('verify', verify), publicKey);
    process.stdout.write(`${versionText(json)}\n`);
    return 0;
  });
}

/** @returns 0 where this program is the one that was released, 1 where it is not */
async function verifyCommand(json: boolean, path: string, given: string | undefined): Promise<number> {
  const { ownFiles } = createHost({ root: '/' });
  const read = (file: string): Promise<Buffer> =>
    ownFiles.read(file).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`${file}: ${error.message}`);
    });
  const sums = await read(path);
  const signature = (await read(`${path}.minisig`)).toString('utf8');
  const publicKey = given === undefined ? embeddedKey() : await keyOf(given, read);
  const program = await read(process.execPath);
  const { verifyRelease } = await import('../release-verification/verify-release.ts');
  const about = version();
  try {
    const { sha256, keyId } = verifyRelease({ ...about, program, sums, signature, publicKey });
    const told = `${process.execPath} is slipway ${about.version} for ${about.platform}, signed by ${keyId}`;
    process.stdout.write(
      json ? `${JSON.stringify({ ...about, sha256, keyId }, undefined, 2)}\n` : `${told}\n`,
    );
    return 0;
  } catch (error) {
    process.stderr.write(`slipway: not verified: ${errorMessage(error)}\n`);
    return 1;
  }
}

/** A file's content, or the key itself as it was given. */
async function keyOf(given: string, read: (file: string) => Promise<Buffer>): Promise<string> {
  if (/^RW[A-Za-z0-9+/]{54}$/.test(given)) return given;
  return (await read(pathOption('public-key', given))).toString('utf8');
}

function embeddedKey(): string {
  const key = typeof SLIPWAY_PUBLIC_KEY === 'string' ? SLIPWAY_PUBLIC_KEY : '';
  if (key === '')
    throw new UsageError('this build holds no public key of its releases; give --public-key KEY or FILE');
  return key;
}
