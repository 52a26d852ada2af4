import { dump } from 'js-yaml';
import { visibleOutput } from '../../../kit/terminal/visible.ts';

/** The value as YAML without control characters, so that a machine's text cannot control the terminal. */
export function yamlText(value: unknown): string {
  // Through JSON, which drops undefined fields.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return visibleOutput(dump(plain, { lineWidth: -1, noRefs: true })).trimEnd();
}
