import { ExpectedError } from '../../../../kit/errors.ts';

/** The text breaks a rule of YAML at `offset`. The message is a sentence and quotes nothing of the text. */
export class YamlSyntaxError extends ExpectedError {
  override readonly name = 'YamlSyntaxError';
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The text exceeds a limit: too many values, too deep nesting. */
export class YamlTooLarge extends YamlSyntaxError {}
