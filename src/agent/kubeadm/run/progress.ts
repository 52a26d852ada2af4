/** Turns kubeadm's output into progress messages as it comes. */
import { Redactor } from '../../../kit/secrets/redact.ts';

/** Phase markers that tell a person something; not hints and warnings. */
const MARKER = /^\[([a-z][a-z0-9-]*(?:\/[a-z-]+)?)\] (\S.*)$/;
const NOISE = [
  /^FYI: /,
  /^You can also perform this action/,
  /^This might take a minute/,
  /^WARNING: /,
  /^If you know what/,
];
const MAX = 200;

/**
 * Makes a reader of lines that answers with a message to tell, or undefined. It tells a line that comes twice
 * in a row once (the kubelet check repeats itself), and never a secret.
 */
export function progressReader(): (line: string, stream: 'stdout' | 'stderr') => string | undefined {
  const redactors = { stdout: new Redactor(), stderr: new Redactor() };
  let last = '';
  return (line, stream) => {
    const clean = redactors[stream].line(line);
    const match = stream === 'stdout' && clean !== undefined ? MARKER.exec(clean.trimEnd()) : null;
    if (match === null) return undefined;
    const [, phase = '', text = ''] = match;
    if (NOISE.some((pattern) => pattern.test(text))) return undefined;
    const message = `${phase}: ${text.length > MAX ? `${text.slice(0, MAX - 1)}…` : text}`;
    if (message === last) return undefined;
    last = message;
    return message;
  };
}
