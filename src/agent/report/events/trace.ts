import { createHash } from 'node:crypto';
import type { EventBody } from '../../../protocol/events.ts';

/**
 * The W3C trace context of an event: one trace for all that belongs to a sequence (over restarts and reboots), one span
 * for an attempt of a step. Computed, not drawn: the same event always has the same.
 */
export function traceparentOf(instance: string, boot: string, body: EventBody): string {
  const sequence = 'sequence' in body ? body.sequence : boot;
  const step = 'step' in body ? body.step?.id : undefined;
  const attempt = 'attempt' in body ? body.attempt : undefined;
  const trace = hex(`${instance}\0${sequence}`, 32);
  const span = hex(`${instance}\0${sequence}\0${step ?? ''}\0${attempt ?? ''}`, 16);
  return `00-${trace}-${span}-01`;
}

function hex(text: string, length: number): string {
  const digits = createHash('sha256').update(text).digest('hex').slice(0, length);
  // All zeros is the one id that W3C forbids.
  return /^0+$/.test(digits) ? `${digits.slice(1)}1` : digits;
}
