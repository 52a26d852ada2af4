import { AT_CONTROLLER, type KeyForTpm, type SealedStub } from '../../../protocol/sealed-stub.ts';
import { type Diagnostics, printable } from '../../text/diagnostics.ts';
import { Fields } from '../../text/yaml/fields.ts';
import { describe, type YamlNode } from '../../text/yaml/yaml-node.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** Nothing that could leave its place in what is authenticated. */
const MACHINE = /^[A-Za-z0-9._/-]{1,253}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4}){1,400}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const WEB = /^https?:\/\/[^\s"'\\]+$/;
const DATA = /^data:;base64,[A-Za-z0-9+/]+={0,2}$/;
const PCRS = 24;

/**
 * Reads what stands behind `sealed`. Everything that is not as it must be is an error at its place.
 *
 * @returns undefined if `diagnostics` got an error
 */
export function readStub(node: YamlNode, diagnostics: Diagnostics): SealedStub | undefined {
  const own = new Errors(diagnostics);
  const fields = own.fields(node, 'sealed');
  if (!fields) return undefined;
  const machine = own.text(fields, 'machine', MACHINE, 'the UID or name of a Machine');
  const expires = own.text(fields, 'expires', TIME, "a time such as '2026-11-22T12:00:00Z', in quotes");
  const digest = own.text(fields, 'digest', DIGEST, 'sha256: and 64 hexadecimal digits');
  const part = readPart(fields, own);
  const key = readKey(fields, own);
  const controller = readController(fields, own);
  fields.refuseUnknown();
  if (own.failed) return undefined;
  return { machine, expires, digest, part, key, ...(controller ? { controller } : {}) };
}

/** A file of this machine, or anything else that is no place for a sealed part, is an error. */
function readPart(fields: Fields, own: Errors): string {
  const part = fields.text('part') ?? '';
  if (part === AT_CONTROLLER || DATA.test(part) || (WEB.test(part) && URL.canParse(part))) return part;
  own.wrong(fields, 'part', 'controller, an http or https URL, or data:;base64,...');
  return '';
}

function readKey(fields: Fields, own: Errors): SealedStub['key'] {
  const node = fields.node('key');
  if (node?.kind === 'string' && node.value === AT_CONTROLLER) return AT_CONTROLLER;
  const ways = node?.kind === 'mapping' ? own.fields(node, 'sealed.key') : undefined;
  const inner = ways?.node('tpm');
  const tpm = inner && own.fields(inner, 'sealed.key.tpm');
  if (tpm) {
    ways?.refuseUnknown();
    return { tpm: readTpm(tpm, own) };
  }
  const names = ways?.names().map(printable).join(', ');
  own.wrong(fields, 'key', `controller or {tpm: ...}${names ? `; this version knows no ${names}` : ''}`);
  return AT_CONTROLLER;
}

function readTpm(fields: Fields, own: Errors): KeyForTpm {
  const bytes = (name: string): string => own.text(fields, name, BASE64, 'base64');
  const key = {
    endorsementKey: own.text(fields, 'endorsementKey', DIGEST, 'sha256: and 64 hexadecimal digits'),
    pcrs: (fields.list('pcrs') ?? []).map((item) => (item.kind === 'int' ? Number(item.value) : -1)),
    ...{ public: bytes('public'), duplicate: bytes('duplicate'), seed: bytes('seed') },
  };
  if (key.pcrs.length > PCRS || !key.pcrs.every((pcr) => pcr >= 0 && pcr < PCRS))
    own.wrong(fields, 'pcrs', `a list of registers from 0 to ${PCRS - 1}`);
  fields.refuseUnknown();
  return key;
}

function readController(outer: Fields, own: Errors): SealedStub['controller'] {
  const node = outer.node('controller');
  const fields = node && own.fields(node, 'sealed.controller');
  if (!fields) return undefined;
  const endpoints = fields.texts('endpoints', true);
  const isGood = (url: string): boolean => /^https:\/\/[^\s"'\\]+$/.test(url) && URL.canParse(url);
  if (endpoints.length === 0 || endpoints.length > 16 || !endpoints.every(isGood))
    own.wrong(fields, 'endpoints', 'a list of one or more https URLs');
  const ca = fields.text('ca') ?? '';
  // Whoever may get any public certificate must not be the controller.
  if (!ca.includes('-----BEGIN CERTIFICATE-----') || ca.includes('PRIVATE KEY'))
    own.wrong(fields, 'ca', "the controller's CA, in PEM (slipway-controller ca)");
  fields.refuseUnknown();
  return { endpoints, ca };
}

/** Where errors go, and whether there were any. */
class Errors {
  readonly #diagnostics: Diagnostics;
  readonly #before: number;

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics;
    this.#before = diagnostics.entries.length;
  }

  get failed(): boolean {
    return this.#diagnostics.entries.slice(this.#before).some(({ severity }) => severity === 'error');
  }

  fields(node: YamlNode, what: string): Fields | undefined {
    if (node.kind === 'mapping') return new Fields(node, what, this.#diagnostics);
    this.#diagnostics.error(
      'UserDataInvalid',
      `${what} must be a mapping, not ${describe(node)}.`,
      node.where,
    );
    return undefined;
  }

  text(fields: Fields, name: string, form: RegExp, expected: string): string {
    const value = fields.text(name) ?? '';
    if (!form.test(value)) this.wrong(fields, name, expected);
    return value;
  }

  wrong(fields: Fields, name: string, expected: string): void {
    fields.wrong(name, `${name} must be ${expected}.`);
  }
}
