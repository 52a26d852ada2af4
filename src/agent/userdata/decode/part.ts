import type { Position } from '../../document/document.ts';
import { isOwnDocument } from '../../text/own-document.ts';
import { windowsScripts } from '../../text/scripts.ts';
import type { SourceText } from '../../text/source-text.ts';

/** The kinds of parts, by cloud-init's names of content types. */
type PartType =
  | 'text/cloud-config'
  | 'text/jinja2'
  | 'text/x-shellscript'
  | 'text/x-windows-script'
  | 'text/cloud-boothook'
  | 'application/vnd.coreos.ignition+json'
  | 'application/vnd.slipway+yaml'
  | (string & {});

/** One part of the user data: all of it, or a part of a MIME multipart. */
export interface Part {
  type: PartType;
  source: SourceText;
  /** The file name from the multipart, else `part-001` ...; scripts run in the order of their names. */
  name: string;
  /** The header that says how the part is to be merged into those before it. */
  mergeType?: { text: string; where: Position };
  /** Says which of the machines that were started together it is for, counted from 0; unread. */
  launchIndex?: string;
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

/** The beginning of a JSON object; one with the key `ignition` is an Ignition config. */
const IGNITION = /^\s*\{\s*"/;

/**
 * The type that a text's beginning names; undefined if it names none. As in cloud-init, leading white space
 * and case do not matter.
 */
export function typeOf(text: string): PartType | undefined {
  const start = text.search(/\S/);
  if (start === -1) return undefined;
  const beginning = text.slice(start, start + 40).toLowerCase();
  const found = BEGINNINGS.find(([prefix]) => beginning.startsWith(prefix))?.[1];
  if (found !== undefined) return found;
  if (windowsScripts(text) !== undefined) return 'text/x-windows-script';
  if (isOwnDocument(text)) return 'application/vnd.slipway+yaml';
  return IGNITION.test(text) && /"ignition"\s*:/i.test(text)
    ? 'application/vnd.coreos.ignition+json'
    : undefined;
}
