/**
 * Decodes base64 like Python's `base64.b64decode` without validation, which is what cloud-init applies to contents of
 * files: characters outside the alphabet are passed over, and decoding ends at the first complete padding.
 * Undefined when the padding is wrong. `dropped` is the number of characters passed over that are not white space.
 */
export function pythonBase64(text: string): { bytes: Buffer; dropped: number } | undefined {
  const compact = text.replace(/\s+/g, '');
  if (compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    return { bytes: Buffer.from(compact, 'base64'), dropped: 0 };
  }
  return forgiving(compact);
}

function forgiving(text: string): { bytes: Buffer; dropped: number } | undefined {
  const kept: string[] = [];
  let dropped = 0;
  let padding = 0;
  for (const character of text) {
    const phase = kept.length % 4;
    if (character === '=') {
      padding += 1;
      if (phase >= 2 && phase + padding >= 4) return { bytes: Buffer.from(kept.join(''), 'base64'), dropped };
    } else if (/[A-Za-z0-9+/]/.test(character)) {
      padding = 0;
      kept.push(character);
    } else {
      dropped += 1;
    }
  }
  return kept.length % 4 === 0 ? { bytes: Buffer.from(kept.join(''), 'base64'), dropped } : undefined;
}
