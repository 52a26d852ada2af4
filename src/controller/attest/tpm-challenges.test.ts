import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { type EcArea, encodePublic } from '../../tpm/objects/public-area.ts';
import { AK, EK_EC } from '../../tpm/objects/templates.ts';
import { TpmChallenges } from './tpm-challenges.ts';

const MACHINE = { instance: 'i', hostname: 'h' };

function area(template: EcArea): Uint8Array {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = (publicKey as KeyObject).export({ format: 'jwk' });
  const unique = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') };
  return encodePublic({ ...template, ...unique });
}

function ask(challenges: TpmChallenges, endorsementKey = area(EK_EC as EcArea), address = 'a'): Uint8Array {
  const attestationKey = ak;
  const request = {
    version: 1 as const,
    machine: MACHINE,
    csrDigest: Buffer.alloc(32),
    endorsementKey,
    attestationKey,
  };
  return challenges.make(request, Buffer.alloc(32), address).id;
}

const ak = area(AK as EcArea);

it('keeps the challenge of a key that is named, however many that nobody named are asked for', () => {
  let byFirstUse = false;
  const challenges = new TpmChallenges(() => ({ byFirstUse }), 8);
  const named = ask(challenges);
  byFirstUse = true;
  const first = ask(challenges);
  for (let at = 0; at < 4; at += 1) ask(challenges);
  expect(() => challenges.spend(first)).toThrow(/not known/);
  byFirstUse = false;
  for (let at = 0; at < 3; at += 1) ask(challenges);
  expect(() => ask(challenges)).toThrow(/too many challenges/);
  expect(challenges.spend(named).instance).toBe('i');
  expect(() => challenges.spend(named)).toThrow(/not known/);
});

it('lets nobody elsewhere who knows its public key, or makes keys, push a machine out', () => {
  const known = area(EK_EC as EcArea);
  const challenges = new TpmChallenges(() => ({ byFirstUse: true }), 64);
  const genuine = ask(challenges, known, 'machine');
  // From a few addresses as many as they like.
  for (let at = 0; at < 200; at += 1) ask(challenges, known, `stranger ${at % 8}`);
  for (let at = 0; at < 200; at += 1) ask(challenges, area(EK_EC as EcArea), `stranger ${at % 8}`);
  expect(challenges.spend(genuine).instance).toBe('i');
});

it('keeps so many of one key at most, and leaves the rest of its room to others', () => {
  const key = area(EK_EC as EcArea);
  const challenges = new TpmChallenges(() => ({ byFirstUse: false }), 100);
  const other = ask(challenges);
  const first = ask(challenges, key);
  for (let at = 0; at < 64; at += 1) ask(challenges, key);
  expect(() => challenges.spend(first)).toThrow(/not known/);
  for (let at = 0; at < 35; at += 1) ask(challenges);
  expect(challenges.spend(other).instance).toBe('i');
});

it('makes none for a key that no Machine can have', () => {
  expect(() => ask(new TpmChallenges(() => undefined))).toThrow(/no Machine names/);
});

it('takes an answer for a minute, and no longer', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const challenges = new TpmChallenges(() => ({ byFirstUse: false }));
    const [early, late] = [ask(challenges), ask(challenges)];
    vi.advanceTimersByTime(59_000);
    expect(challenges.spend(early).instance).toBe('i');
    vi.advanceTimersByTime(2_000);
    expect(() => challenges.spend(late)).toThrow(/not known/);
  } finally {
    vi.useRealTimers();
  }
});
