import { ExpectedError } from '../../../../kit/errors.ts';

/**
 * A template that Slipway cannot render. The message is a sentence with names of variables, filters and tags,
 * but without values of the template or of variables, because they may be secrets. `offset` counts in the
 * template's text.
 */
export class TemplateError extends ExpectedError {
  override readonly name = 'TemplateError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
