import { plan, planDigest } from '../../../src/agent/steps/plan.ts';
import { writeNative } from '../../../src/agent/userdata/native/write-native.ts';
import { readUserData } from '../../../src/agent/userdata/read-user-data.ts';
import type { Corpus } from './inputs.ts';
import type { Judged } from './judge.ts';

/** Accepted inputs that are another machine once they were converted, or another document when converted again. */
export async function changed(judged: readonly Judged[], { metaData }: Corpus): Promise<string[]> {
  const wrong: string[] = [];
  for (const { input, document } of judged) {
    if (document.report.some(({ severity }) => severity === 'error')) continue;
    // These only say where the user data is, which slipway convert does not know.
    if (document.sealed || document.chunked) continue;
    const one = writeNative(document);
    const again = await readUserData(Buffer.from(one), { source: 'file', metaData });
    const [told] = again.report;
    if (told !== undefined) wrong.push(`${input.name}: converted, it says ${told.message}`);
    else if (planDigest(plan(again)) !== planDigest(plan(document)))
      wrong.push(`${input.name}: another plan`);
    else if (writeNative(again) !== one) wrong.push(`${input.name}: converted again, it differs`);
  }
  return wrong;
}
