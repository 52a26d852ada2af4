import { ExpectedError } from '../../kit/errors.ts';
import type { Code } from '../../protocol/codes/codes.ts';

/** A proof that does not satisfy a policy. `reason` becomes that of the Machine's condition. */
export class Violation extends ExpectedError {
  override readonly name = 'Violation';
  readonly reason: Code;
  /** Another Machine, which the machine says it is. */
  readonly other: { readonly name: string; readonly uid: string } | undefined;

  constructor(reason: Code, message: string, other?: Violation['other']) {
    super(message);
    this.reason = reason;
    this.other = other;
  }
}
