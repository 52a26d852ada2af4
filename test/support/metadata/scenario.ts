import { text } from 'node:stream/consumers';
import { execaSync } from 'execa';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import type { SourceAnswer } from '../../../src/agent/userdata/sources/contract/answer.ts';
import { findUserData } from '../../../src/agent/userdata/sources/find.ts';
import { type Stage, staged } from './stage.ts';

/** One machine's search for its user data, against a cloud that behaves in some way. */
export interface Scenario extends Stage {
  name: string;
  source?: string;
  patienceMs?: number;
  /** Are the source callbacks run, as a bootstrap does? */
  runsCallbacks?: boolean;
}

/** What came of it; bytes as latin1. */
export interface ScenarioResult {
  name: string;
  answer: Record<string, unknown>;
  userData: string;
  requests: string[];
}

async function play({
  name,
  source,
  patienceMs = 120_000,
  runsCallbacks,
  ...stage
}: Scenario): Promise<ScenarioResult> {
  const { result, requests } = await staged(stage, async (root) => {
    const options = { patienceMs, ...(source === undefined ? {} : { source }) };
    const answer: SourceAnswer = await findUserData(createLinuxHost({ root }), options);
    if (runsCallbacks && answer.kind === 'found') for (const { run } of answer.callbacks ?? []) await run();
    return answer;
  });
  const userData = result.kind === 'found' ? result.userData.toString('latin1') : '';
  return { name, answer: { ...result }, userData, requests };
}

execaSync('ip', ['link', 'set', 'lo', 'up']);
const plays = JSON.parse(await text(process.stdin)) as Scenario[];
const played: ScenarioResult[] = [];
for (const each of plays) played.push(await play(each));
process.stdout.write(
  JSON.stringify(played, (_key, value) => (typeof value === 'bigint' ? Number(value) : value)),
);
