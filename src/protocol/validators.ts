/** Checks of values that were read from a file, for readers that skip whatever fails them. */
import { RESULTS, SEVERITIES } from './journal.ts';

type Check = (value: unknown) => boolean;

/** A check for each named field; other fields may hold anything. */
export type Shape = Readonly<Record<string, Check>>;

/** RFC 3339 in UTC. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
export const CODE = /^[A-Z][A-Za-z0-9]{0,63}$/;

export const isText: Check = (value) => typeof value === 'string';
/** A name that goes over the wire unchanged. */
export const isName: Check = (value) =>
  typeof value === 'string' && value.length >= 1 && value.length <= 256 && value.isWellFormed();
export const isTime: Check = (value) => typeof value === 'string' && TIME.test(value);
const isCode: Check = (value) => typeof value === 'string' && CODE.test(value);
export const isFlag: Check = (value) => typeof value === 'boolean';
/** Seconds or milliseconds, possibly with a fraction; the bound is far below what a number can count. */
export const isDuration: Check = (value) => typeof value === 'number' && value >= 0 && value <= 2 ** 43;
export const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const isExitStatus: Check = (value) => isCount(value) && Number(value) <= 65_535;

export function isOneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

export function maybe(check: Check): Check {
  return (value) => value === undefined || check(value);
}

export function isListOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

export function hasShape(shape: Shape): Check {
  const checks = Object.entries(shape);
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
}

/** `Failure` in the journal and in the outcome. */
export const isFailure = hasShape({
  code: isCode,
  cause: isText,
  remedy: isText,
  exitStatus: maybe(isExitStatus),
  lines: maybe(isListOf(isText)),
});

/** `Result` of a sequence. */
export const isResult = isOneOf(...RESULTS);

/** `Finding` without its type. */
export const FINDING: Shape = {
  severity: isOneOf(...SEVERITIES),
  code: isCode,
  message: isText,
  where: maybe(isText),
};
