import type { Args } from './ast.ts';
import { parseExpression } from './parse-expression.ts';
import type { TokenStream } from './token-stream.ts';

/** `(a, b=c, *d, **e)`. */
export function parseArgs(stream: TokenStream): Args {
  stream.expect('operator', '(');
  const args: Args = { positional: [], named: [] };
  for (let first = true; !stream.skip('operator', ')'); first = false) {
    if (!first) {
      stream.expect('operator', ',');
      if (stream.skip('operator', ')')) break;
    }
    if (stream.skip('operator', '**')) args.doubleStar = parseExpression(stream);
    else if (stream.skip('operator', '*')) args.star = parseExpression(stream);
    else if (stream.is('name') && stream.isNext('operator', '=')) {
      const name = stream.name();
      stream.next();
      args.named.push({ name, value: parseExpression(stream) });
    } else {
      if (args.named.length > 0) stream.fail('Arguments without a name must come first; one stands');
      args.positional.push(parseExpression(stream));
    }
  }
  return args;
}
