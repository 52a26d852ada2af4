import { mapTexts } from '../../kit/terminal/visible.ts';

/**
 * The value with a space for each empty text in it. API servers turn an empty text in a JSON patch into null, in
 * whatever depth, and then refuse the object, or keep the null.
 */
export function fillEmptyTexts<T>(value: T): T {
  return mapTexts(value, (text) => (text === '' ? ' ' : text));
}
