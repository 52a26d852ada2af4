import assert from 'node:assert/strict';
import { readNetwork } from '../../../src/agent/userdata/network/read-network.ts';
import { wrongBySchema } from '../user-data/schema.ts';

const FEWEST = 500;
/** What the schemas refuse, and every reader takes with the meaning that it seems to have: each with the reason for no word. */
const RIGHT_ALL_THE_SAME: readonly RegExp[] = [
  // netplan, whose format it is, has a list of drivers, and true and false of domains.
  /match\.driver: \['x'(?:, 'x')?\] is not of type 'string'/,
  /-overrides\.use-domains: True is not of type 'string'/,
  // It has costs by members, too.
  /path-cost: \{\} is not of type 'integer'/,
  // A time in milliseconds is a number to netplan and to the schema's other times.
  /(?:mii-monitor|learn-packet)-interval: \d+ is not of type 'string'/,
];

/** Values of every kind in every place of cloud-init's schemas: what they call wrong, Slipway accepts nowhere in silence. */
export async function schemas(lower: string[], say: (line: string) => void): Promise<void> {
  for (const name of ['network-config-v1', 'network-config-v2'] as const) {
    const wrong = await wrongBySchema(lower, name, FEWEST);
    const silent = wrong
      .filter(([, verdict]) => !RIGHT_ALL_THE_SAME.some((form) => form.test(verdict)))
      .filter(([text]) => readNetwork({ format: 'cloud-init', text, place: name }).report.length === 0);
    assert.deepEqual(silent, []);
    say(
      `${wrong.length} documents that cloud-init's schema ${name} calls wrong: none is accepted in silence`,
    );
  }
}
