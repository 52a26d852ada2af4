import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { MAX_SEALED_DATA_BYTES } from '../../protocol/sealed-stub.ts';
import { sealUserData } from './seal-user-data.ts';

const seal = (content: Buffer) =>
  sealUserData({
    machine: { namespace: 'n', name: 'm', uid: 'u' },
    content,
    lifetimeMs: 60_000,
    where: 'https://parts.example/m',
  });

it.each([
  ['would make too much', Buffer.alloc(MAX_SEALED_DATA_BYTES + 1), /no machine opens more than 16777216/],
  ['does not get smaller', randomBytes(MAX_SEALED_DATA_BYTES), /no machine fetches more than 16777216/],
])('refuses what no machine could open: it %s', (_, content, message) => {
  expect(() => seal(content)).toThrow(message);
});

it('takes as much as user data may have', () => {
  expect(seal(Buffer.alloc(MAX_SEALED_DATA_BYTES)).stub.part).toBe('https://parts.example/m');
});
