/** No rule is there without a line of the kubelet, a runtime or a component that it explains, and none that another one hides. */
import { expect, it, vi } from 'vitest';
import { readLogFixtures } from '../../../../test/support/logs/log-fixtures.ts';
import type { Code } from '../../../protocol/codes/codes.ts';
import { diagnoseLog } from '../diagnose-log.ts';
import { NO_EVIDENCE } from '../evidence/evidence.ts';
import { parseJournal } from '../evidence/parse.ts';
import { readLines } from '../transcript/read-lines.ts';
import { readComponentLog } from './component-log.ts';
import { explainKubeletEnd, explainKubeletRun, explainLoneKubelet } from './explain-kubelet.ts';
import type { Rule } from './rule.ts';
import { readRuntimeLog } from './runtime-log.ts';

/** Every rule that is made, with the file that makes it: those of one pattern there are one. */
const idle = vi.hoisted(() => new Set<string>());

vi.mock(import('./rule.ts'), async (original) => {
  const actual = await original();
  const watched = (pattern: RegExp, diagnose: Rule['diagnose']): Rule => {
    const file = /([\w-]+)\.ts:\d+/.exec(new Error().stack?.split('\n')[2] ?? '')?.[1] ?? '';
    const name = `${file} ${pattern.source}`;
    if (!said.has(name)) idle.add(name);
    return actual.rule(pattern, (match) => {
      const found = diagnose(match);
      if (found !== undefined) {
        said.add(name);
        idle.delete(name);
      }
      return found;
    });
  };
  const said = new Set<string>();
  return { ...actual, rule: watched };
});

const messages = (text: string): string[] => parseJournal(text).map((line) => line.text);

it('each rule explains a line of the fixtures', () => {
  for (const { text } of readLogFixtures('kubelet'))
    explainKubeletEnd({ ...NO_EVIDENCE, kubeletLog: messages(text) });
  for (const { text, more } of readLogFixtures('kubelet-running')) {
    const evidence = { ...NO_EVIDENCE, kubeletLog: messages(text) };
    explainKubeletRun(more[2] as Code, evidence);
    explainLoneKubelet(evidence, true);
  }
  for (const { text, more } of readLogFixtures('components'))
    readComponentLog(more[0] ?? '', text.trim().split('\n'));
  for (const { text } of readLogFixtures('runtime')) readRuntimeLog(messages(text));
  for (const { text } of readLogFixtures('others')) diagnoseLog(readLines('log', text));
  expect([...idle].sort()).toEqual([]);
});
