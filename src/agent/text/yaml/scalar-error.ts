/** A scalar has the form of its type but no value, such as the 31st of February. The message is a whole sentence. */
export class ScalarError extends Error {}
