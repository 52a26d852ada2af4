import { TPM_PATH } from '../document/paths.ts';
import { readTpm } from '../identity/tpm/read-tpm.ts';
import { TpmProblem } from '../identity/tpm/tpm-problem.ts';
import { createHost } from '../machine.ts';
import { demandRoot, formatOption, pathOption, withUsage } from './options/options.ts';
import { explainProblem } from './text/identity-problem.ts';
import { identityAsJson, identityAsText } from './text/identity-text.ts';

export interface IdentityFlags {
  output: string;
  tpm?: string;
}

/** `slipway identity`: 0 if the machine can prove itself by its TPM, 1 if it cannot, 2 if the arguments are wrong. */
export function identityCommand(flags: IdentityFlags): Promise<number> {
  return withUsage(async () => {
    const format = formatOption(flags.output);
    const path = flags.tpm === undefined ? TPM_PATH : pathOption('tpm', flags.tpm);
    demandRoot('talk to the TPM', 'slipway identity');
    try {
      const found = await readTpm(createHost(), path);
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
