import { createHost } from '../create-host.ts';
import { TPM_PATH } from '../document/paths.ts';
import { readTpm } from '../identity/tpm/read-tpm.ts';
import { TpmProblem } from '../identity/tpm/tpm-problem.ts';
import { formatOption, pathOption, requireRoot, withUsageErrors } from './options/options.ts';
import { explainProblem } from './text/identity-problem.ts';
import { identityAsJson, identityAsText } from './text/identity-text.ts';

const SILENCE_MS = 5_000;

interface IdentityFlags {
  output: string;
  tpm?: string;
}

/** `slipway identity`: 0 if the machine can prove itself by its TPM, 1 if it cannot, 2 if the arguments are wrong. */
export function identityCommand(flags: IdentityFlags): Promise<number> {
  return withUsageErrors(async () => {
    const format = formatOption(flags.output);
    const path = flags.tpm === undefined ? TPM_PATH : pathOption('tpm', flags.tpm);
    requireRoot('talk to the TPM', 'slipway identity');
    try {
      const found = await telling(path, () => readTpm(createHost(), path));
      process.stdout.write(format === 'json' ? identityAsJson(found) : identityAsText(found));
      return 0;
    } catch (error) {
      if (!(error instanceof TpmProblem)) throw error;
      const { json, text } = explainProblem(error);
      if (format === 'json') process.stdout.write(json);
      else process.stderr.write(text);
      return 1;
    }
  });
}

/** A TPM answers at once, but for one that is busy or somebody who is none: whoever waits is to know. */
async function telling<T>(path: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    process.stderr.write(`slipway: ${path} does not answer yet; waiting for up to two minutes\n`);
  }, SILENCE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
