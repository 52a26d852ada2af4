import { expect, it } from 'vitest';
import { asSarif } from './sarif.ts';

it('makes no link of what user data holds', () => {
  const message = '[click](https://evil.example) is not known; it is ignored.';
  const finding = { rule: 'UserDataIgnoredKey', severity: 'warning', message, remedy: 'r' } as const;
  const { runs } = JSON.parse(asSarif([{ file: 'a', findings: [finding] }], '1'));
  expect(runs[0].results[0].message.text).toBe('[click] (https://evil.example) is not known; it is ignored.');
});
