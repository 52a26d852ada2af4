import type { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refused } from '../../../../src/controller/attest/refused.ts';
import { TpmChallenges } from '../../../../src/controller/attest/tpm-challenges.ts';
import { BootLogExplainer } from '../../../../src/controller/policy/boot-log-explainer.ts';
import {
  challengeBody,
  challengeReplyBody,
  MAX_LOG_BYTES,
  proofBody,
  readChallengeReply,
  readChallengeRequest,
  readProof,
} from '../../../../src/protocol/attestation.ts';
import { WireError } from '../../../../src/protocol/wire.ts';
import { encodeCompactLog, readCompactLog } from '../../../../src/tpm/evidence/compact-log.ts';
import { readChain, readEkCertificate } from '../../../../src/tpm/evidence/endorsement.ts';
import { readBootLog, replay, secureBoot } from '../../../../src/tpm/evidence/event-log.ts';
import { recordedQuote, SELECTION } from '../../../../src/tpm/evidence/fixtures/quote-evidence.ts';
import { ProofError, verifyQuote } from '../../../../src/tpm/evidence/verify-quote.ts';
import { decodeQuoted, decodeSignature } from '../../../../src/tpm/objects/attest.ts';
import { decodePublic, encodePublic } from '../../../../src/tpm/objects/public-area.ts';
import { ALG } from '../../../../src/tpm/wire/constants.ts';
import { MalformedError } from '../../../../src/tpm/wire/reader.ts';
import { must, type Target } from '../../target.ts';

const FIXTURES = join(import.meta.dirname, '../../../../src/tpm/evidence/fixtures');
const fixture = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(join(FIXTURES, name), 'utf8'));
const refuses = (error: unknown): boolean => error instanceof MalformedError || error instanceof ProofError;

/** What a machine sends as its proof: the controller reads it before it knows whom it comes from. */
export const tpmProof: Target = {
  name: 'tpm-proof',
  corpus: () => {
    const { evidence, ak, ek } = recordedQuote();
    return [Buffer.from(evidence.quoted), Buffer.from(evidence.signature), ak, ek];
  },
  dictionary: ['\xffTCG', '\x80\x18', '\x00\x0b', '\x00\x23', '\x00\x01'],
  refuses,
  run(bytes) {
    const { evidence, nonce } = recordedQuote();
    const known = Buffer.compare(bytes, evidence.quoted) === 0;
    try {
      verifyQuote({ ...evidence, quoted: bytes }, nonce, SELECTION);
      must(known, 'a quote that the TPM did not sign is not taken');
    } catch (error) {
      if (!refuses(error)) throw error;
    }
    const answers = [decodePublic, decodeSignature, decodeQuoted].map((read) => {
      try {
        return read(bytes);
      } catch (error) {
        if (refuses(error)) return undefined;
        throw error;
      }
    });
    const area = answers[0];
    if (area && 'attributes' in area && area.type !== 'rsa')
      must(encodePublic(area).equals(bytes), 'a public area is written as it was read');
    return answers.map((answer) => answer !== undefined);
  },
};

/** The firmware's log, which a machine sends as a hint. */
export const bootLog: Target = {
  name: 'boot-log',
  corpus: () => [Buffer.from(fixture('boot-log.json').log ?? '', 'base64')],
  dictionary: ['Spec ID Event03\0', 'StartupLocality\0', 'S\0e\0c\0u\0r\0e\0B\0o\0o\0t\0'],
  refuses,
  run(bytes) {
    const log = readBootLog(bytes);
    return [
      log.events.length,
      log.banks.includes(ALG.sha256) && replay(log, ALG.sha256).size,
      secureBoot(log),
    ];
  },
};

/** The same as a proof carries it, which the controller reads. */
export const carriedLog: Target = {
  name: 'carried-log',
  corpus: () => {
    const log = readBootLog(Buffer.from(fixture('boot-log.json').log ?? '', 'base64'));
    return [encodeCompactLog(log, MAX_LOG_BYTES) ?? Buffer.alloc(0)];
  },
  dictionary: ['StartupLocality\0', '\x80\0\0\x03'],
  refuses,
  run(bytes) {
    const log = readCompactLog(bytes);
    const values = replay(log, ALG.sha256);
    const story = new BootLogExplainer(bytes, values);
    return [...values.keys()].map((pcr) => story.tell(pcr, story.measured) + story.tell(pcr, undefined));
  },
};

/** What lies in a TPM's NV memory. */
export const ekCertificate: Target = {
  name: 'ek-certificate',
  corpus: () => [Buffer.from(fixture('endorsement.json').nv ?? '', 'hex')],
  dictionary: ['\x10\x01\x00', '\x30\x82'],
  refuses,
  run(bytes) {
    const subject = (certificate: X509Certificate): string => certificate.serialNumber;
    return [subject(readEkCertificate(bytes)), readChain(bytes).map(subject)];
  },
};

/** Bodies of an enrolment by TPM, on both of its ends. */
export const tpmEnrolment: Target = {
  name: 'tpm-enrolment',
  corpus: () => {
    const { evidence, nonce, ak, ek } = recordedQuote();
    const machine = { instance: 'i-1', hostname: 'node-1' };
    const csrDigest = Buffer.alloc(32, 7);
    const credential = { blob: Buffer.alloc(68), secret: Buffer.alloc(256) };
    const bodies = [
      challengeBody({ version: 1, machine, csrDigest, endorsementKey: ek, attestationKey: ak }),
      challengeReplyBody({ version: 1, id: nonce, credential, nonce, pcrs: SELECTION.pcrs }),
      proofBody({
        challenge: nonce,
        opened: nonce,
        quoted: evidence.quoted,
        signature: evidence.signature,
        values: [...evidence.values.values()],
      }),
    ];
    return bodies.map((body) => Buffer.from(JSON.stringify(body)));
  },
  dictionary: ['"version":1', '"proof"', '"pcrs":[0,', '"values":["', '"credential":{'],
  refuses: (error) => error instanceof WireError || error instanceof Refused,
  run(bytes) {
    const challenges = new TpmChallenges(() => ({ byFirstUse: false }));
    const made = attempt(() => {
      const reply = challenges.make(readChallengeRequest(bytes), Buffer.alloc(32), '127.0.0.1');
      return readChallengeReply(Buffer.from(JSON.stringify(challengeReplyBody(reply)))).pcrs;
    });
    const proof = attempt(() => readProof(JSON.parse(bytes.toString('utf8'))));
    return [made, attempt(() => readChallengeReply(bytes).pcrs), proof?.values.length];
  },
};

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof WireError || error instanceof Refused || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}
