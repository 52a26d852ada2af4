import { existsSync } from 'node:fs';
import { execaSync } from 'execa';
import { needTools } from '../images/tools.ts';

interface SignOptions {
  readonly file: string;
  /** Path of minisign's secret key. Where it has a password, minisign asks for it. */
  readonly key: string;
  /** One line that is signed as well: what this is. */
  readonly comment: string;
  /** The public key that is in the binary, or nothing: a signature by another would serve nobody. */
  readonly publicKey: string;
}

/** Before minutes are spent on what is to be signed. @throws Error */
export function needSigner(key: string): void {
  needTools({ minisign: 'minisign' });
  if (!existsSync(key)) throw new Error(`${key}: there is no such key; minisign -G makes one`);
}

/** Signs a file as `FILE.minisig`, and holds the signature against the key in the binary. @throws Error */
export function sign({ file, key, comment, publicKey }: SignOptions): void {
  const words = ['-S', '-s', key, '-m', file, '-t', comment, '-c', 'signature of a release of Slipway'];
  const { exitCode, stderr } = execaSync('minisign', words, {
    stdio: ['inherit', 'ignore', 'pipe'],
    reject: false,
  });
  if (exitCode !== 0) throw new Error(`minisign does not sign: ${stderr}`);
  if (publicKey === '') return;
  const check = execaSync('minisign', ['-V', '-q', '-P', publicKey, '-m', file], { reject: false });
  if (check.exitCode !== 0)
    throw new Error(`${key} is not the secret key of release/slipway.pub, which is in the binary`);
}
