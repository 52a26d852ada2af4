import { SEALED_KEPT } from '../../../../src/agent/document/paths.ts';
import { failure } from '../../../../src/agent/engine/failure.ts';
import { readSavedUserData } from '../../../../src/agent/sealed/saved-user-data.ts';
import { loadDocument } from '../../../../src/agent/userdata/load.ts';
import type { SealedStub } from '../../../../src/protocol/sealed-stub.ts';
import {
  readRefusal,
  readSecretReleaseReply,
  readSecretReleaseRequest,
} from '../../../../src/protocol/secret-release.ts';
import { WireError } from '../../../../src/protocol/wire.ts';
import { openPart, sealPart } from '../../../../src/tpm/sealing/sealed-part.ts';
import { MalformedError } from '../../../../src/tpm/wire/reader.ts';
import { jsons, texts } from '../../corpus.ts';
import { memoryHost } from '../../memory-host.ts';
import { must, type Target } from '../../target.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const STUB = {
  ...{ machine: 'm', expires: '2026-11-22T12:00:00Z', digest: DIGEST, part: 'controller', key: 'controller' },
  controller: { endpoints: ['https://c:1'], ca: '-----BEGIN CERTIFICATE-----' },
};
const TPM = { endorsementKey: DIGEST, pcrs: [0], public: 'AAAA', duplicate: 'AAAA', seed: 'AAAA' };
const DOCUMENT = `apiVersion: slipway.dev/v1alpha1\nkind: SealedUserData\nsealed: ${JSON.stringify(STUB)}\n`;
const WORDS = Object.keys({ ...STUB, ...TPM, tpm: 0, sealed: 0, slipway: 0 });
const FILE = {
  path: '/etc/slipway/sealed.yaml',
  contents: { source: `data:;base64,${Buffer.from(DOCUMENT).toString('base64')}` },
};
const machine = { instance: 'i-1', hostname: 'node-1' };
const BOUND = { machine: 'm', expires: '2026-11-22T12:00:00Z' };

/** What lies in clear where anybody may change it, and what is said of it over the wire. */
export function sealed(): Target[] {
  const made = sealPart(Buffer.from('#cloud-config\n'), BOUND);
  const isWire = (error: unknown): boolean => error instanceof WireError;
  return [
    {
      name: 'sealed-stub',
      dictionary: [...WORDS, 'data:;base64,', 'https://', 'file:///etc/shadow', 'SealedUserData'],
      corpus: () => [
        ...texts(
          DOCUMENT,
          `#cloud-config\nslipway: {sealed: ${JSON.stringify({ ...STUB, key: { tpm: TPM } })}}\n`,
        ),
        ...jsons({ ignition: { version: '3.0.0' }, storage: { files: [FILE] } }),
      ],
      run: async (bytes) => {
        let asked: SealedStub | undefined;
        const host = memoryHost({ '/user-data': bytes });
        const loaded = await loadDocument(host, {
          userDataFile: '/user-data',
          open: async (stub) => {
            asked = stub as SealedStub;
            return { kind: 'none', permanent: true, failure: failure('SealedDataMissing', 'Nothing.') };
          },
        });
        const place = asked?.part ?? '';
        must(
          asked === undefined || /^(?:controller$|https?:|data:;base64,)/.test(place),
          'a part has a known place',
        );
        must(host.changed.length === 0, 'reading changes nothing');
        return loaded.kind;
      },
    },
    {
      name: 'release-reply',
      dictionary: ['version', 'digest', 'key', 'part', DIGEST],
      corpus: () => jsons({ version: 1, digest: DIGEST, key: 'AAAA', part: 'AAAA' }),
      refuses: isWire,
      run: (bytes) => readSecretReleaseReply(bytes),
    },
    {
      name: 'release-request',
      dictionary: ['version', 'machine', 'proof', 'challenge', 'opened', 'quoted', 'signature', 'values'],
      corpus: () =>
        jsons(
          { version: 1, machine },
          {
            version: 1,
            machine,
            proof: { challenge: '', opened: '', quoted: '', signature: '', values: [''] },
          },
        ),
      refuses: isWire,
      run: (bytes) => readSecretReleaseRequest(bytes),
    },
    {
      name: 'release-refusal',
      dictionary: ['words', 'reason', 'error'],
      corpus: () => jsons({ error: 'forbidden', words: 'w', reason: 'NodePending' }),
      run: (bytes) => readRefusal(bytes.toString('utf8')),
    },
    {
      name: 'sealed-part',
      dictionary: [],
      corpus: () => [made.part],
      refuses: (error) => error instanceof MalformedError,
      run: (bytes) => {
        const opened = openPart(bytes, made.key, BOUND, 4096);
        must(bytes.equals(made.part), 'nothing but what was sealed opens');
        return opened;
      },
    },
    {
      name: 'sealed-kept',
      dictionary: ['version', 'digest', 'userData', DIGEST],
      corpus: () => jsons({ version: 1, digest: DIGEST, userData: 'AAAA' }),
      run: (bytes) => readSavedUserData(memoryHost({ [SEALED_KEPT]: bytes }), { digest: DIGEST }),
    },
  ];
}
