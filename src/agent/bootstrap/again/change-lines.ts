import { visible } from '../../../kit/terminal/visible.ts';
import { redact } from '../../../secrets/redact.ts';
import { idWidth } from '../../steps/kind/step-kind.ts';
import type { Changes } from '../lifecycle/changes.ts';
import type { AgainPlan } from './plan-again.ts';

/** What another run does and leaves, for people: a line for each step that is not as it was, and what it will do. `due`: whose details are told. */
export function changeLines({ changes, gone, due }: AgainPlan): string[] {
  const others = changes.filter(({ what }) => what !== 'same' && what !== 'moved');
  const width = idWidth([...others.map(({ step }) => step), ...gone]);
  const lines = others.flatMap(({ step, what, why }) => [
    `${what.padEnd(8)} ${step.id.padEnd(width)} ${shown(step.title)}${why === undefined ? '' : ` (${why})`}`,
    ...(what === 'left' ? [] : (due.find(({ id }) => id === step.id)?.details ?? [])).map(
      (detail) => `${' '.repeat(width + 10)}${shown(detail)}`,
    ),
  ]);
  const removed = gone.map(
    ({ id, title }) => `gone     ${id.padEnd(width)} ${shown(title)} (nothing of it is undone)`,
  );
  const all = [...lines, ...removed];
  return all.length === 0 ? ['nothing has changed since the last success'] : all;
}

/** The same for programs. */
export function changesAsJson({ changes, gone }: Changes): unknown {
  return {
    changes: changes.map(({ step, what, why }) => ({
      id: step.id,
      what,
      ...(why === undefined ? {} : { why }),
    })),
    gone: gone.map(({ id }) => id),
  };
}

const shown = (text: string): string => visible(redact(text).replaceAll('\t', '    '));
