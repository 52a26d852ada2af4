/**
 * The text with a placeholder for each character that a terminal would act upon or not show: escapes and other controls,
 * marks that turn the direction of writing, line breaks. What comes out is one line, as it reads.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
}
