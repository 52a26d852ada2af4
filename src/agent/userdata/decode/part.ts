import type { SourceText } from '../../text/source-text.ts';

/** What a part of user data is, by cloud-init's names of content types. */
export type PartType =
  | 'text/cloud-config'
  | 'text/jinja2'
  | 'text/x-shellscript'
  | 'text/cloud-boothook'
  | (string & {});

/** One part of the user data: the whole of it, or a part of a MIME multipart. */
export interface Part {
  type: PartType;
  source: SourceText;
  /** File name given in the multipart, else `part-001` ...; scripts run in the order of their names. */
  name: string;
  /** A header of the part asks for one of cloud-init's merge strategies. */
  mergeType?: boolean;
}

/** cloud-init's table of first characters (`handlers.INCLUSION_TYPES_MAP`), longest first. */
const BEGINNINGS: readonly (readonly [string, PartType])[] = [
  ['#cloud-config-archive', 'text/cloud-config-archive'],
  ['#cloud-config-jsonp', 'text/cloud-config-jsonp'],
  ['## template: jinja', 'text/jinja2'],
  ['#cloud-boothook', 'text/cloud-boothook'],
  ['#include-once', 'text/x-include-once-url'],
  ['#cloud-config', 'text/cloud-config'],
  ['#part-handler', 'text/part-handler'],
  ['#include', 'text/x-include-url'],
  ['#!', 'text/x-shellscript'],
];

/**
 * The type that the beginning of a text tells; undefined when it tells none. White space before it and upper case do
 * not matter, as in cloud-init.
 */
export function typeOf(text: string): PartType | undefined {
  const start = text.search(/\S/);
  if (start === -1) return undefined;
  const beginning = text.slice(start, start + 40).toLowerCase();
  return BEGINNINGS.find(([prefix]) => beginning.startsWith(prefix))?.[1];
}
