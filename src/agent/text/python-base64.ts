/**
 * Decodes base64 like Python's `base64.b64decode` without validation, which cloud-init applies to file
 * contents: it skips characters outside the alphabet and stops at the first complete padding.
 *
 * @returns undefined if the padding is wrong; `dropped` counts skipped characters that are no white space
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
