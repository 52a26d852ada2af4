import { ExpectedError } from '../../../kit/errors.ts';

/** An element by its local name; prefixes of namespaces are left out. */
export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** Its own text, without that of its children. */
  text: string;
}

/** Text that is no XML, or uses what small documents of clouds do not: a document type, or entities of its own. */
export class XmlError extends ExpectedError {
  override readonly name = 'XmlError';
}

const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 64;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
/** A name is looked for once, and never given back letter by letter. */
const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)(?=([^\s<>/!?][^\s<>/]*))\3((?:[^<>"']|"[^"]*"|'[^']*')*)>|([^<]+)/y;

/** @throws XmlError */
export function parseXml(text: string): XmlElement {
  if (text.length > MAX_BYTES) throw new XmlError('it has more than 1 MiB');
  const top: XmlElement = { name: '', attributes: new Map(), children: [], text: '' };
  const open = [top];
  const source = text.replace(/^\ufeff/, '');
  const token = new RegExp(TOKEN);
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const match = token.exec(source);
    const here = open.at(-1);
    if (match === null || here === undefined) throw new XmlError(`it is not valid XML at character ${at}`);
    const [, data, closing, name, behind = '', plain] = match;
    if (data !== undefined) here.text += data;
    else if (plain !== undefined) here.text += unescaped(plain);
    else if (name !== undefined)
      step(open, here, {
        ...{ closing: closing === '/', empty: behind.endsWith('/'), name: local(name) },
        attributes: behind.replace(/\/$/, ''),
      });
  }
  const [root, ...more] = top.children;
  if (open.length !== 1 || root === undefined || more.length > 0)
    throw new XmlError('its elements are not closed');
  return root;
}

function step(
  open: XmlElement[],
  here: XmlElement,
  tag: { closing: boolean; empty: boolean; name: string; attributes: string },
): void {
  if (tag.closing) {
    if (open.length < 2 || here.name !== tag.name) throw new XmlError(`</${tag.name}> closes nothing`);
    open.pop();
    return;
  }
  const element: XmlElement = {
    name: tag.name,
    attributes: attributesOf(tag.attributes),
    children: [],
    text: '',
  };
  here.children.push(element);
  if (tag.empty) return;
  if (open.push(element) > MAX_DEPTH) throw new XmlError('its elements are nested too deep');
}

function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', double, single] of text.matchAll(
    /(?<=^|[\s"'])([^\s="']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  ))
    found.set(local(name), unescaped(double ?? single ?? ''));
  return found;
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function unescaped(text: string): string {
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w+);/g, (whole, code: string) => {
    if (!code.startsWith('#')) return ENTITIES[code] ?? whole;
    const point = code.startsWith('#x') ? Number.parseInt(code.slice(2), 16) : Number(code.slice(1));
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** The first element at a path of local names below this one. */
export function elementAt(from: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let here = from;
  for (const name of path) here = here?.children.find((child) => child.name === name);
  return here;
}
