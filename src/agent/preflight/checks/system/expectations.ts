import type { Check } from '../check.ts';
import { found } from '../finding.ts';

/** Is the machine what the user data says that it is to be? */
export const expectations: Check = {
  name: 'what the machine is expected to be',
  async run(host, { expect }) {
    if (expect === undefined) return [];
    const [{ gatherFacts }, { unmet }] = await Promise.all([
      import('../../../facts/gather.ts'),
      import('../../../facts/judge/unmet-expectations.ts'),
    ]);
    const severity = expect.unmet === 'fail' ? 'fatal' : 'warning';
    return unmet(expect, await gatherFacts(host)).map((message) =>
      found(severity, 'MachineNotAsExpected', message),
    );
  },
};
