import { describe, expect, it } from 'vitest';
import { tellTogether } from './alike.ts';

const told = (...sentences: string[]): string => {
  const { first, also } = tellTogether(sentences);
  return `${first}${also}`;
};

describe('several sentences', () => {
  it.each<[string[], string]>([
    [['Port 1 is in use.'], 'Port 1 is in use.'],
    [['port 1 is in use', 'port 2 is in use'], 'port 1 is in use. The same is true for 2.'],
    [
      ['Port 1 is in use.', 'Port 2 is in use.', 'Port 3 is in use.', 'Swap is on.'],
      'Port 1 is in use. The same is true for 2 and 3. Also: Swap is on.',
    ],
    [
      ['Swap is on.', '/a already exists.', '/b already exists.'],
      'Swap is on. Also: /a already exists (the same is true for /b).',
    ],
    [['The image a:1 is not there.', 'The image a:1 is not there.'], 'The image a:1 is not there.'],
  ])('%j', (sentences, text) => {
    expect(told(...sentences)).toBe(text);
  });

  it('stay apart where they do not say the same', () => {
    const [refused, late] = [
      'The image a could not be had: refused',
      'The image b could not be had: too late',
    ];
    expect(told(refused ?? '', late ?? '')).toBe(`${refused}. Also: ${late}.`);
    expect(told('The setting net.x of it is not 1', 'The setting net.x of it is not 0')).toContain(
      'is not 0',
    );
  });

  it('take a name that stands twice for one thing', () => {
    expect(told('The image a of "a" is bad', 'The image b of "b" is bad')).toBe(
      'The image a of "a" is bad. The same is true for b.',
    );
  });
});
