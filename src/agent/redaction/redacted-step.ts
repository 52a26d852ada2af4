import type { Failure } from '../../protocol/journal.ts';
import type { Step } from '../engine/step.ts';

/** The same step; whatever it tells, and its programs print, is told without what `hide` cuts out. */
export function redactedStep(step: Step, hide: (text: string) => string): Step {
  return {
    ...step,
    async run(context) {
      const result = await step.run({
        ...context,
        progress: (message, fromOutput) => context.progress(hide(message), fromOutput),
        finding: (finding) => context.finding({ ...finding, message: hide(finding.message) }),
        output: (line, stream) => context.output(hide(line), stream),
      });
      if (!result.done) return { ...result, failure: hiddenFailure(result.failure, hide) };
      return result.message === undefined ? result : { ...result, message: hide(result.message) };
    },
  };
}

function hiddenFailure(failure: Failure, hide: (text: string) => string): Failure {
  const { cause, remedy, lines } = failure;
  return {
    ...failure,
    cause: hide(cause),
    remedy: hide(remedy),
    ...(lines ? { lines: lines.map(hide) } : {}),
  };
}
