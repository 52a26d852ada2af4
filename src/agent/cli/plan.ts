import { positionText } from '../../kit/position.ts';
import { remember } from '../../kit/secrets/known.ts';
import { redact } from '../../kit/secrets/redact.ts';
import type { Document } from '../document/document.ts';
import { createHost } from '../machine.ts';
import { checkDocument } from '../preflight/check-document.ts';
import { documentSecrets } from '../secrets/document-secrets.ts';
import { plan } from '../steps/plan.ts';
import { loadDocument } from '../userdata/load.ts';
import { checkMakesNode } from '../userdata/makes-node.ts';
import { formatOption, sourceOptions, withUsage } from './options/options.ts';
import { complain } from './text/complain.ts';
import { planAsJson, planAsText } from './text/plan-text.ts';

export interface PlanFlags {
  userData?: string;
  metaData?: string;
  networkConfig?: string;
  source?: string;
  root: string;
  output: string;
}

/** `slipway plan`: 0 with the steps, 2 with every error of the user data, 75 where there is none. */
export function planCommand(flags: PlanFlags): Promise<number> {
  return withUsage(async () => {
    const { root, ...files } = sourceOptions(flags);
    const format = formatOption(flags.output);
    const answer = await loadDocument(createHost({ root }), files);
    const tell = (plain: unknown) =>
      format === 'json' && process.stdout.write(`${JSON.stringify(plain, undefined, 2)}\n`);
    if (answer.kind === 'none') {
      complain(answer.failure);
      tell({ failure: answer.failure });
      return answer.permanent ? 2 : 75;
    }
    const { document } = answer;
    remember(documentSecrets(document));
    const report = [...document.report, ...checkMakesNode(document), ...checkDocument(document)];
    for (const entry of report) process.stderr.write(`slipway: ${redact(describeEntry(entry))}\n`);
    const isBad = report.some(({ severity }) => severity === 'error');
    const steps = isBad ? undefined : plan(document);
    tell(planAsJson(document, report, steps));
    if (format === 'text' && steps !== undefined) process.stdout.write(planAsText(document, steps));
    return isBad ? 2 : 0;
  });
}

function describeEntry({ severity, code, message, where }: Document['report'][number]): string {
  return `${severity}: user data${where ? ` ${positionText(where)}` : ''}: ${message} [${code}]`;
}
