import { createHash } from 'node:crypto';
import { IDENTITY_DIR } from '../../../src/agent/document/paths.ts';
import { readIdentity } from '../../../src/agent/identity/identity.ts';
import { readToken } from '../../../src/agent/identity/token.ts';
import { MachineTokenAttestor, mintMachineToken } from '../../../src/controller/attest/machine-token.ts';
import { Refused } from '../../../src/controller/attest/refused.ts';
import { TokenAttestor, type TokenRecord } from '../../../src/controller/attest/token.ts';
import { fromPem, toPem } from '../../../src/pki/pem.ts';
import { readCsrKey } from '../../../src/pki/read-csr.ts';
import { readEnrolReply, readEnrolRequest } from '../../../src/protocol/enrolment.ts';
import { WireError } from '../../../src/protocol/wire.ts';
import { jsons, texts } from '../corpus.ts';
import { memoryHost } from '../memory-host.ts';
import { must, type Target } from '../target.ts';
import { KNOWN_CSR as csr, KNOWN_CERTIFICATE, knownKey } from './known-keys.ts';

const machine = { instance: 'i-1', hostname: 'node-1' };
const CSR = 'CERTIFICATE REQUEST';

/** `readCsrKey` refuses with one sentence; a fault of the program has a class of its own. */
const isSentence = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError);

/** What a stranger sends to become a machine, and what the machine is answered. */
export function enrolment(): Target[] {
  const key = knownKey();
  const made = `slwt.abcdefghij.${'Ab-_'.repeat(8)}`;
  const hash = createHash('sha256').update(made).digest('hex');
  const record: TokenRecord = {
    id: 'abcdefghij',
    hash,
    namespace: 'default',
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  const minted = mintMachineToken(
    { uid: '12345678-1234-1234-1234-123456789abc', namespace: 'default', name: 'm' },
    0,
    4_000_000_000_000,
    Buffer.alloc(32),
  );
  return [
    {
      name: 'enrol-request',
      dictionary: ['version', 'token', 'csr', 'machine', '-----BEGIN CERTIFICATE REQUEST-----', '\\n', made],
      corpus: () => jsons({ version: 1, token: made, csr, machine }, { version: 1, csr, machine }),
      refuses: (error) => error instanceof WireError || isSentence(error),
      run: (bytes) => readCsrKey(readEnrolRequest(bytes).csr).asymmetricKeyType,
    },
    {
      name: 'enrol-reply',
      dictionary: ['version', 'certificate', 'ca', 'expiresAt', '2026-99-99T99:99:99Z'],
      corpus: () =>
        jsons({
          version: 1,
          certificate: KNOWN_CERTIFICATE,
          ca: KNOWN_CERTIFICATE,
          expiresAt: '2026-01-02T03:04:05Z',
        }),
      refuses: (error) => error instanceof WireError,
      run: (bytes) => readEnrolReply(bytes),
    },
    {
      name: 'csr',
      dictionary: [
        '\x30',
        '\x30\x80',
        '\x30\x84\xff\xff\xff\xff',
        '\x03',
        '\x06',
        '\xa0\x00',
        '\x02\x01\x00',
      ],
      corpus: () => [Buffer.from(fromPem(CSR, csr)), Buffer.from(csr)],
      refuses: isSentence,
      run: (bytes) => {
        const found = readCsrKey(bytes.includes('BEGIN') ? bytes.toString('latin1') : toPem(CSR, bytes));
        must(found.type === 'public' && found.asymmetricKeyType === 'ec', 'only keys on a curve are taken');
        return found.export({ type: 'spki', format: 'pem' });
      },
    },
    {
      name: 'token',
      dictionary: ['slwt.', 'slwm.', '.', 'abcdefghij', '_-'],
      corpus: () => texts(made, `${made}\n`, minted, 'abcdef.0123456789abcdef'),
      refuses: (error) => error instanceof Refused,
      run: async (bytes) => {
        const token = await readToken(memoryHost({ '/t': bytes.subarray(0, 4096) }), { tokenFile: '/t' });
        const evidence = { token, machine, csr: '', channel: Buffer.alloc(0) };
        const book = {
          find: (id: string) => (id === record.id ? record : undefined),
          take: async () => true,
          giveBack: () => undefined,
        };
        const byToken = await new TokenAttestor(book).attest(evidence);
        must(byToken === undefined || token === made, 'only the token itself is taken');
        const byMachine = await new MachineTokenAttestor(() => [Buffer.alloc(32)], {
          byUid: () => ({ namespace: 'n' }),
        }).attest(evidence);
        return { byToken, byMachine };
      },
    },
    {
      name: 'identity',
      dictionary: ['instance', 'i-1', 'given', 'lifeMs', 'boot', 'mono', 'time', 'BEGIN CERTIFICATE'],
      corpus: () => [
        ...jsons({ instance: 'i-1', given: { boot: 'b-1', mono: 1, time: 1, lifeMs: 1 } }),
        ...texts(key, KNOWN_CERTIFICATE),
      ],
      run: async (bytes) => {
        const paths = ['client.key', 'client.crt', 'about.json'].map((name) => `${IDENTITY_DIR}/${name}`);
        const good = [key, KNOWN_CERTIFICATE, '{"instance":"i-1"}'];
        const tried = paths.map((_, bad) =>
          Object.fromEntries(paths.map((path, index) => [path, index === bad ? bytes : (good[index] ?? '')])),
        );
        return Promise.all(tried.map((files) => readIdentity(memoryHost(files), 'i-1')));
      },
    },
  ];
}
