import { errorMessage } from '../../../kit/errors.ts';
import { placeText } from '../../../kit/position.ts';
import type { Host } from '../../host/host.ts';
import { plan } from '../../steps/plan.ts';
import { loadDocument } from '../../userdata/load.ts';
import { formatName } from './format-name.ts';

/** What the user data asks for, by titles and digests only; why it cannot be told where it cannot. */
export async function collectPlan(host: Host): Promise<{ path: string; text: string }[]> {
  return [{ path: 'slipway/plan.txt', text: await planText(host).catch(reason) }];
}

async function planText(host: Host): Promise<string> {
  const answer = await loadDocument(host, {});
  if (answer.kind === 'none') return `${answer.failure.cause}\n`;
  const { document } = answer;
  const remarks = document.report.map(({ severity, message, where }) => {
    const at = where === undefined ? '' : `${placeText(where)}: `;
    return `${severity}: ${at}${message}`;
  });
  const wrong = document.report.some(({ severity }) => severity === 'error');
  const steps = wrong ? [] : plan(document).map(({ id, title, digest }) => `${id}  ${title}  (${digest})`);
  return `${[`${formatName(document)} from ${document.instance.source}`, ...remarks, ...steps].join('\n')}\n`;
}

const reason = (error: unknown): string => `${errorMessage(error)}\n`;
