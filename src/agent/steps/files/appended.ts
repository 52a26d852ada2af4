/**
 * A file with an addition at its end.
 *
 * @param interrupted The addition may have been made already: appending twice is not harmless.
 */
export function appended(present: Uint8Array, addition: Uint8Array, interrupted: boolean): Buffer {
  const isThere =
    interrupted &&
    addition.length <= present.length &&
    Buffer.from(addition).equals(present.subarray(present.length - addition.length));
  return isThere ? Buffer.from(present) : Buffer.concat([present, addition]);
}
