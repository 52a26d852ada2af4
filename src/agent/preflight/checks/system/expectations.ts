import type { Check } from '../check.ts';
import { preflightFinding } from '../check.ts';

/** Is the machine what the user data says that it is to be? */
export const expectations: Check = {
  name: 'what the machine is expected to be',
  async run(host, { expect }) {
    if (expect === undefined) return [];
    const [{ gatherFacts }, { unmetExpectations }] = await Promise.all([
      import('../../../facts/gather.ts'),
      import('../../../facts/judge/unmet-expectations.ts'),
    ]);
    const severity = expect.unmet === 'fail' ? 'fatal' : 'warning';
    return unmetExpectations(expect, await gatherFacts(host)).map((message) =>
      preflightFinding(severity, 'MachineNotAsExpected', message),
    );
  },
};
