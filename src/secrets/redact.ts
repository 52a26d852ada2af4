import { isHarmless } from './harmless.ts';
import { redactRemembered } from './remembered.ts';
import { MARK, mayHoldSecret, rulesFor } from './rules.ts';

/**
 * Cuts whatever looks like a secret out of other programs' output before it is logged, journalled or shown.
 * This is the second line of defence; the first is that Slipway itself prints no secret.
 *
 * It would rather cut too much, with one exception: it leaves hashes of public keys (`sha256:...`), because
 * people need to compare them. What it takes for a secret stands in rules.ts.
 */

/** Neither a rule nor what is remembered finds anything in a shorter text. */
const SHORTEST = 6;
const PEM_BEGIN = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,40})-----/;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,40}-----/;
const KEY_FOLLOWS = /certificate[ -]?key:\s*$/i;
/** 32 bytes in hex at the end of a line, after the prefix that a log may add. */
const LONE_KEY = /(?<![^\s"'])[0-9a-f]{64}(?=["']?\s*$)/;
/** Lines of the other stream may come in between. */
const KEY_WITHIN_LINES = 5;
/** A PEM body has at most this many lines; beyond them, a block without an end counts as over. */
const PEM_MAX_LINES = 400;

/**
 * Cuts secrets out of a text line by line. It remembers earlier lines so that it can drop the body of a
 * private key, so use one per stream.
 */
export class Redactor {
  private pemLines = 0;
  /** Lines in which a certificate key may still follow that was announced. */
  private keyLines = 0;

  /** The line without its secrets; undefined if the whole line belongs to a private key. */
  line(text: string): string | undefined {
    let rest = this.withoutKey(redactRemembered(text));
    if (this.pemLines > 0) {
      const end = PEM_END.exec(rest);
      if (end === null) {
        // If the block was cut off, the next ordinary line must stay. No PEM line has a space.
        if (this.pemLines++ < PEM_MAX_LINES && looksLikePemBody(rest)) return undefined;
        this.pemLines = 0;
      } else {
        this.pemLines = 0;
        rest = rest.slice(end.index + end[0].length);
        if (rest.trim() === '') return undefined;
      }
    }
    return this.outsideOfPem(rest);
  }

  /** kubeadm announces the certificate key in one line and prints it in the next. */
  private withoutKey(text: string): string {
    const isAnnounced = KEY_FOLLOWS.test(text);
    const hidden = this.keyLines > 0 ? text.replace(LONE_KEY, MARK) : text;
    if (isAnnounced) this.keyLines = KEY_WITHIN_LINES;
    else this.keyLines = hidden === text ? Math.max(0, this.keyLines - 1) : 0;
    return hidden;
  }

  private outsideOfPem(text: string): string {
    let shown = '';
    for (let rest = text; ; ) {
      const begin = PEM_BEGIN.exec(rest);
      if (begin === null) return shown + redactLine(rest);
      shown += `${redactLine(rest.slice(0, begin.index))}[redacted ${begin[1]}]`;
      rest = rest.slice(begin.index + begin[0].length);
      const end = PEM_END.exec(rest);
      // The block continues on the next lines, or it is JSON with escaped line ends that was cut off.
      if (end === null) {
        this.pemLines = 1;
        return shown;
      }
      rest = rest.slice(end.index + end[0].length);
    }
  }
}

function looksLikePemBody(line: string): boolean {
  const body = line.replace(/^[\s>|]+/, '').trimEnd();
  return /^[A-Za-z0-9+/=\\]*$/.test(body) || /^(Proc-Type|DEK-Info|Comment):/i.test(body);
}

function redactLine(text: string): string {
  let result = text;
  for (const { pattern, isSetting } of rulesFor(text))
    result = result.replace(pattern(), (whole: string, before: string) =>
      isSetting && isHarmless(whole.slice(before.length)) ? whole : before + MARK,
    );
  return result;
}

/** Cuts secrets out of a whole text; drops the lines of a private key's body. */
export function redact(text: string): string {
  if (text.length < SHORTEST) return text;
  // Nearly every text is none of the rules' business, and a controller reads those of all machines.
  return mayHoldSecret(text) ? redactAll(text) : redactRemembered(text);
}

/** As `redact`, by every rule whatever the text is. */
export function redactAll(text: string): string {
  const redactor = new Redactor();
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const clean = redactor.line(line);
    if (clean !== undefined) kept.push(clean);
  }
  return kept.join('\n');
}
