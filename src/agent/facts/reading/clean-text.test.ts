import { describe, expect, test } from 'vitest';
import { cleanText } from './clean-text.ts';

describe('what firmware says of itself', () => {
  test.each([
    ['Dell Inc.\n', { value: 'Dell Inc.' }],
    ['  PowerEdge   R750 \n', { value: 'PowerEdge R750' }],
    ['Łódź GmbH', { value: 'Łódź GmbH' }],
    ['', {}],
    ['   \n', {}],
    ['To be filled by O.E.M.\n', { done: 'said only "To be filled by O.E.M."' }],
    ['System Product Name', { done: 'said only "System Product Name"' }],
    ['Default string', { done: 'said only "Default string"' }],
    ['0123456789', { done: 'said only "0123456789"' }],
    ['0000000', { done: 'said only "0000000"' }],
    ['03000200-0400-0500-0006-000700080009', { done: 'said only "03000200-0400-0500-0006-000700080009"' }],
    ['A\u{1b}[31mB\u{202e}C', { value: 'A [31mB C', done: 'held control characters' }],
    ['x1'.repeat(500), { value: 'x1'.repeat(64), done: 'was cut after 128 characters' }],
  ])('%j', (text, wanted) => {
    expect(cleanText(Buffer.from(text))).toEqual(wanted);
  });

  test('bytes that are no UTF-8 go, and are mentioned', () => {
    expect(cleanText(Buffer.from([0x41, 0xff, 0xfe, 0x42, 0x0a]))).toEqual({
      value: 'AB',
      done: 'held bytes that are no UTF-8',
    });
    expect(cleanText(Buffer.from([0xff, 0xff]))).toEqual({ done: 'held nothing that can be read' });
  });
});
