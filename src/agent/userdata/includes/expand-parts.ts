import { printable, Report } from '../../text/diagnostics.ts';
import { MAX_DECODED_BYTES } from '../../text/limits.ts';
import { decodeUserData } from '../decode/decode.ts';
import type { Part } from '../decode/part.ts';
import { readArchive } from './archive.ts';
import { ARCHIVE, INCLUDES } from './container-types.ts';
import { addressText, included, type Library, wrongAddress } from './fetch-include.ts';
import { type IncludeLine, includeLines } from './include-lines.ts';
import { MAX_INCLUDE_DEPTH, MAX_INCLUDES, MAX_PARTS } from './limits.ts';

/**
 * Puts in the place of includes and archives the parts that they stand for, and numbers those without a name as cloud-init
 * does. Errors go to `report`, at the line of the user data that asked for what is wrong.
 *
 * @returns undefined if `report` got an error
 * @throws NotYetIncluded
 */
export async function expand(
  parts: readonly Part[],
  library: Library,
  report: Report,
): Promise<Part[] | undefined> {
  const expansion = new Expansion(library, report);
  const all = await expansion.all(parts, []);
  return all?.map((part, index) =>
    /^part-\d{3}$/.test(part.name) ? { ...part, name: `part-${String(index + 1).padStart(3, '0')}` } : part,
  );
}

class Expansion {
  readonly #library: Library;
  /** What is wrong with the others is told, but no server is asked for their sake. */
  #hasWrong = false;
  readonly #report: Report;
  #includes = 0;
  #parts = 0;
  #bytes = MAX_DECODED_BYTES;

  constructor(library: Library, report: Report) {
    this.#library = library;
    this.#report = report;
  }

  /** @param chain The addresses that led here, the outermost first. */
  async all(parts: readonly Part[], chain: readonly string[]): Promise<Part[] | undefined> {
    const found: Part[] = [];
    let isBad = false;
    for (const part of parts) {
      const inner = await this.#one(part, chain);
      if (inner === undefined) isBad = true;
      else found.push(...inner);
    }
    return isBad && !this.#library.isOffline ? undefined : found;
  }

  async #one(part: Part, chain: readonly string[]): Promise<Part[] | undefined> {
    const own = this.#report.of(part.source);
    this.#parts += 1;
    if (this.#parts > MAX_PARTS) return this.#tooMuch(`more than ${MAX_PARTS} parts`, own);
    // An archive's own entries are taken as they are: cloud-init looks into none of them.
    if (part.type === ARCHIVE) return readArchive(part, own);
    if (!INCLUDES.includes(part.type)) return [part];
    const lines = includeLines(part.source);
    if (lines.some(({ address }) => wrongAddress(address) !== undefined)) this.#hasWrong = true;
    const found: Part[] = [];
    let isBad = false;
    for (const line of lines) {
      const inner = await this.#include(line, chain, own);
      if (inner === undefined) isBad = true;
      else found.push(...inner);
    }
    if (lines.length === 0)
      own.warn('UserDataIgnoredKey', 'The include names no address.', part.source.locate(0));
    return isBad && !this.#library.isOffline ? undefined : found;
  }

  async #include(
    { address, isOnce, where }: IncludeLine,
    chain: readonly string[],
    report: Report,
  ): Promise<Part[] | undefined> {
    const refuse = (message: string): undefined => {
      report.error('UserDataInvalid', message, where);
      this.#hasWrong = true;
    };
    this.#includes += 1;
    if (chain.includes(address)) return refuse(`${addressText(address)} includes itself.`);
    if (this.#includes > MAX_INCLUDES || chain.length >= MAX_INCLUDE_DEPTH)
      return refuse(
        `The user data includes more than ${MAX_INCLUDES} addresses, or more than ${MAX_INCLUDE_DEPTH} one in the other.`,
      );
    if (this.#library.isOffline && /^https?:[^#]*(?:#(?!sha)|$)/i.test(address))
      report.warn(
        'UserDataInvalid',
        `${addressText(address)} is included without a digest (#sha256-SUM): who answers there decides what the machine does.`,
        where,
      );
    if (this.#hasWrong && !this.#library.isOffline && isAskedFor(address)) return [];
    const answer = await included(this.#library, address, isOnce);
    if ('problem' in answer) return refuse(`${addressText(address)}, which is included, ${answer.problem}.`);
    this.#bytes -= answer.bytes.length;
    if (this.#bytes < 0) return this.#tooMuch(`more than ${MAX_DECODED_BYTES} bytes`, report);
    const name = printable(addressText(address));
    const parts = decodeUserData(answer.bytes, new Report(report.entries, '', name), name);
    return (
      parts &&
      this.all(
        parts.map((part) => from(part, name)),
        [...chain, address],
      )
    );
  }

  #tooMuch(what: string, report: Report): undefined {
    report.error('UserDataTooLarge', `The user data and what it includes hold ${what}.`);
  }
}

const isAskedFor = (address: string): boolean =>
  /^https?:/i.test(address) && wrongAddress(address) === undefined;

/** Its positions count in the included text, and messages say so. */
function from(part: Part, name: string): Part {
  return { ...part, source: { ...part.source, within: name } };
}
