/**
 * The text as one harmless line: a placeholder replaces each character that a terminal would act upon or not
 * show (escapes and other controls, marks that change the writing direction, line breaks).
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
}
