import type { Diagnostic, Document } from '../../../src/agent/document/document.ts';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import { checkDocument } from '../../../src/agent/preflight/check-document.ts';
import { plan } from '../../../src/agent/steps/plan.ts';
import { checkCreatesNode } from '../../../src/agent/userdata/creates-node.ts';
import { readUserData } from '../../../src/agent/userdata/read-user-data.ts';
import type { Corpus, Input } from './inputs.ts';

export interface Judged {
  input: Input;
  document: Document;
  /** What `slipway plan` says of it, but that it makes no node: most foreign examples are not meant to. */
  verdict: 'fully' | 'warn' | 'refuse';
  report: Diagnostic[];
}

/** What `slipway plan --user-data FILE --meta-data FILE` does, in this process. */
export async function judge(corpus: Corpus): Promise<Judged[]> {
  const all: Judged[] = [];
  const instance = { source: 'file', metaData: corpus.metaData };
  // Their addresses lead nowhere.
  const library = {
    host: createLinuxHost({ root: '/' }),
    instance: '',
    keeps: false,
    isOffline: true,
  } as const;
  for (const input of corpus.inputs) {
    const document = await readUserData(input.raw, instance, { library });
    const beyond = input.must ? checkCreatesNode(document) : [];
    const report = [...document.report, ...beyond, ...checkDocument(document)];
    const isBad = report.some(({ severity }) => severity === 'error');
    if (!isBad) plan(document);
    all.push({
      input,
      document,
      report,
      verdict: isBad ? 'refuse' : report.length > 0 ? 'warn' : 'fully',
    });
  }
  return all;
}

/** Inputs of which the verdict is wrong, each with the reason. */
export function wrong(judged: readonly Judged[]): string[] {
  return judged.flatMap(({ input, verdict, report }) => {
    const told = report.map(({ message, where }) => `${where?.line ?? '-'}: ${message}`).join('; ');
    if (input.must && verdict === 'refuse') return `${input.name} must be accepted: ${told}`;
    // What Cluster API itself writes nobody can mend, and every release of cloud-init takes it.
    const isMute = input.oracle === 'refuse' && verdict === 'fully' && !input.must;
    if (isMute) return `${input.name} is accepted in silence`;
    const mute = report.some(({ message }) => message.trim() === '');
    return mute ? `${input.name} is refused without a reason` : [];
  });
}
