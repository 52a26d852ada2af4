interface Place {
  /** A letter, a digit, `_` or `-` stands before the word. */
  isJoined?: boolean;
  /** One of which follows; default: whatever is none of those. */
  before?: string;
}

/** Does one of the words end a name somewhere in a text, as in `a_token: ` but not in `tokens`? */
export function endsName(
  text: string,
  words: readonly string[],
  { isJoined = false, before }: Place = {},
): boolean {
  return words.some((word) => {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      const next = text.charCodeAt(at + word.length);
      const ends = before === undefined ? !isOfName(next) : before.includes(String.fromCharCode(next));
      if (ends && (!isJoined || isOfName(text.charCodeAt(at - 1)))) return true;
    }
    return false;
  });
}

/** Of ASCII in small letters; there is no code at either end of a text. */
function isOfName(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d;
}

/** Does the text hold what has the shape of a bootstrap token, six letters and digits, a dot and sixteen? */
export function mayHoldToken(text: string): boolean {
  for (let at = text.indexOf('.'); at >= 0; at = text.indexOf('.', at + 1))
    if (areOfName(text, at - 6, at) && areOfName(text, at + 1, at + 17)) return true;
  return false;
}

function areOfName(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (!isOfName(text.charCodeAt(at))) return false;
  return true;
}
