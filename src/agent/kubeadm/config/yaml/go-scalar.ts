/**
 * What a scalar stands for to kubeadm's reader (sigs.k8s.io/yaml on top of go-yaml 2): nearly YAML 1.1, but dates and numbers
 * in base 60 are texts, while `y`, `1e3` and `0o17` are not.
 */
import type { Scalar } from './config-node.ts';

const WORDS = new Map<string, Scalar>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(
    (word) => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(
    (word) => [word, false] as const,
  ),
]);
const WHOLE = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** More digits are a float, and only these have bounds. */
const MOST_DIGITS = 400;

/** The value of a scalar that stands without quotes and without a tag. */
export function goScalar(text: string): Scalar {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!/^[-+.0-9]/.test(text)) return text;
  const digits = text.replaceAll('_', '');
  if (digits.length > MOST_DIGITS) return text;
  const [, sign, whole] = WHOLE.exec(digits) ?? [];
  if (whole !== undefined) {
    const octal = /^0[0-7]+$/.test(whole);
    const size = Number(octal ? `0o${whole.slice(1)}` : whole);
    return sign === '-' ? -size : size;
  }
  const value = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(value) ? value : text;
}

const PREFIX = 'tag:yaml.org,2002:';
const RESOLVED = new Set(['null', 'bool', 'int', 'float', 'timestamp'].map((name) => PREFIX + name));

/** The value of a scalar with a tag. To kubeadm, one with a tag that it does not know is a text. */
export function taggedScalar(text: string, tag: string): Scalar {
  if (tag === `${PREFIX}binary`) return Buffer.from(text, 'base64').toString('utf8');
  return RESOLVED.has(tag) ? goScalar(text) : text;
}
