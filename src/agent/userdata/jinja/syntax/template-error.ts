/**
 * A template that cannot be rendered. The message is a sentence without values of the template or of variables, for
 * these may be secrets; names of variables, filters and tags appear in it. `offset` counts in the template's text.
 */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
