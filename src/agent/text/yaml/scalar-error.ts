import { ExpectedError } from '../../../kit/errors.ts';

/** A scalar of its type's form but without a value, such as 31 February. The message is a whole sentence. */
export class ScalarError extends ExpectedError {}
