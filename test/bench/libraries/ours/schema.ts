import { asObject, integer, list, oneOf, optional, text, version } from '../../../../src/protocol/wire.ts';

/** The message of the contest `schema`, read as the protocol reads its own. */
export function check(value: unknown): boolean {
  const body = asObject(value, 'body');
  version(body, 'version', 1);
  for (const item of list(body, 'events', 1000)) {
    const event = asObject(item, 'event');
    integer(event, 'seq', 1, Number.MAX_SAFE_INTEGER);
    text(event, 'time', 40);
    oneOf(event, 'type', ['step.started', 'step.ended', 'finding']);
    optional(event, 'message', (from, key) => text(from, key, 1000));
  }
  return true;
}
