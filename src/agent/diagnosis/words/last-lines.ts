/** The lines of kubeadm's output that a person should see. */
import { redact } from '../../../secrets/redact.ts';
import type { KubeadmOutput } from '../patterns/output.ts';

/** Longest line that is kept, in characters. */
const MAX = 400;

/**
 * At most `count` lines, redacted: preflight errors first, else the error message, else the end of stderr, else of
 * stdout. Never stack traces or kubeadm's standing hints.
 */
export function lastLines(output: KubeadmOutput, count: number): string[] {
  const findings = output.preflight.map(
    ({ name, text }) => `[ERROR ${name}]: ${text.replace(/\s*\n\s*/g, ' ')}`,
  );
  const error = nonEmpty(output.error);
  const chosen =
    findings.length > 0
      ? findings.slice(0, count)
      : (error.length > 0
          ? error
          : [nonEmpty(output.stderr).filter(isNews), nonEmpty(output.stdout)].find(
              (lines) => lines.length > 0,
            )
        )?.slice(-count);
  return redact((chosen ?? []).join('\n'))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (line.length > MAX ? `${line.slice(0, MAX - 1)}…` : line));
}

/** klog's information is no reason. */
const isNews = (line: string): boolean => !/^I\d{4} \d\d:/.test(line);

function nonEmpty(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
