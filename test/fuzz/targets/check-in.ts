import { CHECKIN_FILE, IDENTITY_DIR, RUN_DIR } from '../../../src/agent/document/paths.ts';
import { withKeptAuthorities } from '../../../src/agent/identity/kept-authorities.ts';
import { readCheckInState } from '../../../src/agent/report/checkin/check-in-state.ts';
import { readCheckInWish } from '../../../src/agent/report/state/asked-check-in.ts';
import { readReportingState } from '../../../src/agent/report/state/reporting-state.ts';
import { readCheckInReply, readCheckInRequest } from '../../../src/protocol/check-in/check-in.ts';
import { WireError } from '../../../src/protocol/wire.ts';
import { jsons } from '../corpus.ts';
import { memoryHost } from '../memory-host.ts';
import { must, type Target } from '../target.ts';
import { KNOWN_CERTIFICATE } from './known-keys.ts';

const machine = { instance: 'i-1', hostname: 'node-1' };
const settings = { endpoints: ['https://a'], ca: KNOWN_CERTIFICATE };

/** What a machine and its controller say at a check-in, and what the machine keeps of it. */
export function checkIn(): Target[] {
  return [
    {
      name: 'check-in',
      dictionary: [
        'version',
        'machine',
        'told',
        'seq',
        'token',
        'wants',
        'events',
        'checkin',
        'everySeconds',
      ],
      corpus: () =>
        jsons(
          { version: 1, machine, told: { seq: 42 } },
          { version: 1, machine, token: 'abcdef.0123456789abcdef' },
          { version: 1, wants: 'events', checkin: { everySeconds: 300 } },
        ),
      refuses: (error) => error instanceof WireError,
      run: (bytes) => ('wants' in peek(bytes) ? readCheckInReply(bytes) : readCheckInRequest(bytes)),
    },
    {
      name: 'check-in-files',
      dictionary: [
        'instance',
        'i-1',
        'everySeconds',
        'of',
        'authorities',
        'answeredAt',
        'toldAgain',
        'endpoint',
      ],
      corpus: () =>
        jsons(
          { instance: 'i-1', everySeconds: 300 },
          { instance: 'i-1', of: 'a', authorities: [KNOWN_CERTIFICATE] },
          { instance: 'i-1', answeredAt: 1, toldAgain: { at: 1, seq: 2 } },
          { endpoint: 'https://a', checkIn: { everySeconds: 300 } },
        ),
      run: async (bytes) => {
        const host = (path: string) => memoryHost({ [path]: bytes });
        const wish = await readCheckInWish(host(CHECKIN_FILE), 'i-1');
        must(wish === undefined || Number.isSafeInteger(wish.everySeconds), 'only a number is a wish');
        const { ca } = await withKeptAuthorities(host(`${IDENTITY_DIR}/authorities.json`), 'i-1', settings);
        must(ca?.startsWith(KNOWN_CERTIFICATE) === true, 'the authority of the settings counts always');
        const state = await readCheckInState(host(`${RUN_DIR}/report/checkin.json`), 'i-1');
        return { wish, ca, state, reporting: await readReportingState(host(`${RUN_DIR}/reporting.json`)) };
      },
    },
  ];
}

function peek(bytes: Uint8Array): object {
  try {
    return Object(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return {};
  }
}
