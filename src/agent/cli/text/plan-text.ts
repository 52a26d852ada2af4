import { formatMs } from '../../../kit/duration.ts';
import { omitUndefined } from '../../../kit/json.ts';
import { pluralize } from '../../../kit/pluralize.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import { redact } from '../../../secrets/redact.ts';
import { redactTexts } from '../../../secrets/redact-texts.ts';
import type { Diagnostic, Document } from '../../document/document.ts';
import type { PowerStateSettings } from '../../document/system-settings.ts';
import { idWidth, type PlannedStep } from '../../steps/kind/step-kind.ts';
import { planDigest } from '../../steps/plan.ts';
import { formatName } from '../process/format-name.ts';

/**
 * The plan for people: each step with what it will do, and nothing that may be secret. Whoever wrote the user data does
 * not get to steer the terminal.
 */
export function planAsText(document: Document, steps: PlannedStep[]): string {
  const { instance, onError, system, deadlineSeconds } = document;
  const lines = [
    `${formatName(document)} from ${visible(redact(instance.source))}, ${pluralize(steps.length, 'step')}, digest ${planDigest(steps)}`,
    ...sourceLines(instance),
    ...(deadlineSeconds === undefined
      ? []
      : [`given up after ${formatMs(1000 * deadlineSeconds)} (deadline)`]),
    ...(onError === 'stop' ? ['the first command that fails ends it (onError: stop)'] : []),
  ];
  const width = idWidth(steps);
  steps.forEach((step, index) => {
    const number = String(index + 1).padStart(3);
    lines.push(
      `${number}  ${step.id.padEnd(width)} ${visible(redact(step.title))}  (${step.digest.slice(0, 12)})`,
      ...step.details.map(
        (detail) => `${' '.repeat(width + 6)}${visible(redact(detail).replaceAll('\t', '    '))}`,
      ),
    );
  });
  if (system?.powerState) lines.push(visible(redact(endLine(system.powerState))));
  return `${lines.join('\n')}\n`;
}

/** What comes after the verdict. */
function endLine({ mode, delay, condition }: PowerStateSettings): string {
  if (condition === false) return `then: no ${mode}, for its condition is false (power_state)`;
  const when = delay === 'now' ? 'at once' : `after ${pluralize(delay, 'minute')}`;
  const only = condition === undefined ? '' : ', where its condition is met';
  return `then: ${mode} ${when}${only} (power_state)`;
}

/** The same for programs; a condition is a command, in which secrets may stand. */
function endOf({ mode, delay, condition }: PowerStateSettings): object {
  const when = condition === undefined ? 'always' : condition === false ? 'never' : 'condition met';
  return { mode, delayMinutes: delay === 'now' ? 0 : delay, when };
}

/** How the source was found, and what came along with the user data. */
function sourceLines({ recognised, ...instance }: Document['instance']): string[] {
  const { id, providerId, region, zone, addresses, publicKeys, vendorData, networkConfig } = instance;
  const along = [
    ...[id && `instance ${id}`, providerId && `provider id ${providerId}`],
    ...[
      region && `region ${region}`,
      zone && `zone ${zone}`,
      addresses && `addresses ${addresses.join(' ')}`,
    ],
    ...[publicKeys && pluralize(publicKeys, 'public key'), vendorData && 'vendor data', networkConfig],
  ].filter((each) => typeof each === 'string');
  return [
    ...(recognised === undefined ? [] : [`source recognised: ${visible(redact(recognised))}`]),
    ...(along.length < 2 ? [] : [`metadata: ${visible(redact(along.join(', ')))}`]),
  ];
}

/** What `slipway plan --output json` prints; without steps where the user data has errors, which `report` tells. */
export function planAsJson(
  document: Document,
  report: readonly Diagnostic[],
  steps: PlannedStep[] | undefined,
): unknown {
  const { instance, onError, system, deadlineSeconds } = document;
  return {
    format: formatName(document),
    source: redact(instance.source),
    instance: instance.id,
    metadata: redactTexts(withoutNames(instance)),
    ...omitUndefined({ onError, deadlineSeconds }),
    report: redactTexts(report.map(withRemedy)),
    ...(steps === undefined
      ? {}
      : {
          digest: planDigest(steps),
          steps: steps.map(({ id, kind, title, digest, details }) => ({
            ...redactTexts({ id, kind, title, digest, details }),
          })),
          ...(system?.powerState ? { powerState: endOf(system.powerState) } : {}),
        }),
  };
}

const withRemedy = (entry: Diagnostic): object =>
  entry.severity === 'error' ? { ...entry, remedy: codes()[entry.code].fix } : entry;

function withoutNames({ source: _source, id: _id, ...metadata }: Document['instance']): unknown {
  return metadata;
}
