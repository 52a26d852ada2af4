/** The text breaks a rule of YAML at `offset`. The message is a sentence that quotes nothing of the text. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The text is more than is accepted: too many values, nested too deeply. */
export class YamlTooLarge extends YamlSyntaxError {}
