import { expect, it } from 'vitest';
import { TpmError } from './tpm-error.ts';

it.each([
  [0x922, 'busy'],
  [0x902, 'full'],
  [0x1df, 'not for this key'],
  [0x99d, 'policy not met'],
  [0x98e, 'wrong password'],
  [0x9a2, 'wrong password'],
  [0x921, 'locked out'],
  [0x101, 'broken'],
  [0x120, 'switched off'],
  [0x18b, 'no such object'],
  [0x143, 'other'],
])('says what the code 0x%s means: %s', (code, refusal) => {
  expect(new TpmError('quote', code)).toMatchObject({ refusal, code });
});
