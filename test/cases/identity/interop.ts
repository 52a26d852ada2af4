import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTpm } from '../../../src/agent/host/linux/system/tpm-channel.ts';
import type { TpmChannel } from '../../../src/tpm/channel.ts';
import { activateCredential } from '../../../src/tpm/commands/credential.ts';
import { openSealed } from '../../../src/tpm/commands/open-sealed.ts';
import { withPrimary } from '../../../src/tpm/commands/primary.ts';
import { quote } from '../../../src/tpm/commands/quote.ts';
import { readPcrs } from '../../../src/tpm/commands/read-pcrs.ts';
import { makeCredential } from '../../../src/tpm/crypto/credential.ts';
import { sealFor } from '../../../src/tpm/crypto/importable.ts';
import { readBootLog, replay } from '../../../src/tpm/evidence/event-log.ts';
import { verifyQuote } from '../../../src/tpm/evidence/verify-quote.ts';
import { decodePublic, encodePublic, keyOf, nameOf } from '../../../src/tpm/objects/public-area.ts';
import { AK, EK_EC, EK_RSA } from '../../../src/tpm/objects/templates.ts';
import { WireReader } from '../../../src/tpm/wire/reader.ts';
import { sized, u32 } from '../../../src/tpm/wire/writer.ts';
import { bootLog } from '../../support/tpm/boot-log.ts';

/** node interop.ts VERB rsa|ec: one half of an exchange with tpm2-tools, over files in /tmp; interop.sh does the other half. */

const [verb, kind] = process.argv.slice(2);
const template = kind === 'rsa' ? EK_RSA : EK_EC;
const SELECTION = { bank: 0x000b, pcrs: [0, 1, 4, 7] };
/** Head of tpm2-tools' files with a credential. */
const CREDENTIAL_MAGIC = Buffer.from('badcc0de00000001', 'hex');

const FIXTURE = join(import.meta.dirname, '../../../src/tpm/evidence/fixtures/boot-log.json');

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const read = (name: string): Buffer => readFileSync(`/tmp/${name}`);
const write = (name: string, content: Uint8Array | string): void => writeFileSync(`/tmp/${name}`, content);

const VERBS: Record<string, (channel: TpmChannel) => Promise<void>> = {
  /** Our quote for tpm2_checkquote: message, signature and key. */
  quote: (channel) =>
    withPrimary(channel, AK, async (ak) => {
      const made = await quote(channel, ak, read('nonce'), SELECTION);
      write('quoted', made.quoted);
      write('signature', made.signature);
      write('ak.pem', keyOf(ak.area).export({ format: 'pem', type: 'spki' }));
    }),

  /** tpm2_quote's answer, held against what it says itself. */
  async check() {
    const ak = decodePublic(read('their-ak.pub').subarray(2));
    const values = new Map(
      read('their-values')
        .toString()
        .trim()
        .split('\n')
        .map((line, at) => [SELECTION.pcrs[at] ?? 0, Buffer.from(line, 'hex')] as const),
    );
    const evidence = { ak, quoted: read('their-quoted'), signature: read('their-signature'), values };
    const said = verifyQuote(evidence, read('nonce'), SELECTION);
    write('said', `resets ${said.resetCount}\n`);
  },

  /** A credential of ours, for tpm2_activatecredential with their own attestation key. */
  async make() {
    const ek = decodePublic(read('their-ek.pub').subarray(2));
    if (ek.type === 'sealed') throw new Error('no key');
    const ak = decodePublic(read('their-ak.pub').subarray(2));
    const { blob, secret } = makeCredential(ek, nameOf(ak), Buffer.from('made by slipway'));
    write('credential', Buffer.concat([CREDENTIAL_MAGIC, sized(blob), sized(secret)]));
    write('ak.name', nameOf(ak).toString('hex'));
  },

  /** For tpm2_makecredential: our keys, as they take them. */
  keys: (channel) =>
    withPrimary(channel, template, (ek) =>
      withPrimary(channel, AK, async (ak) => {
        write('ek.pub', sized(encodePublic(ek.area)));
        write('ak.name', Buffer.from(ak.name).toString('hex'));
      }),
    ),

  /** ... and what it made for them, opened. */
  activate: (channel) =>
    withPrimary(channel, template, (ek) =>
      withPrimary(channel, AK, async (ak) => {
        const from = new WireReader(read('their-credential'), 'the file of tpm2_makecredential');
        if (!from.take(8).equals(CREDENTIAL_MAGIC)) throw new Error('another form of file');
        const credential = { blob: from.sized(200), secret: from.sized(600) };
        write('opened', await activateCredential(channel, ek, ak, credential));
      }),
    ),

  /** A secret sealed to the present boot state, for `unseal` now and after the state has changed. */
  seal: (channel) =>
    withPrimary(channel, template, async (ek) => {
      const values = await readPcrs(channel, SELECTION);
      const made = sealFor(ek.area, Buffer.from('twelve secrets'), { selection: SELECTION, values });
      write(
        'sealed',
        Buffer.concat([sized(made.publicArea), sized(made.duplicate), sized(made.seed), u32(0)]),
      );
    }),

  /** The same for tpm2_import, in its files. */
  async parts() {
    const from = new WireReader(read('sealed'), 'the sealed secret');
    for (const name of ['sealed.pub', 'sealed.duplicate', 'sealed.seed']) write(name, sized(from.sized(600)));
  },

  unseal: (channel) =>
    withPrimary(channel, template, async (ek) => {
      const from = new WireReader(read('sealed'), 'the sealed secret');
      const made = { publicArea: from.sized(200), duplicate: from.sized(600), seed: from.sized(600) };
      write('opened', await openSealed(channel, ek, made, SELECTION));
    }),

  /** The recorded log of a virtual machine, and one as other cases make them, with the registers that they lead to. */
  async logs() {
    const recorded = JSON.parse(readFileSync(FIXTURE, 'utf8'));
    const event = { pcr: 8, type: 13, digest: Buffer.alloc(32, 9), data: 'grub_cmd: linux' };
    const logs = { recorded: Buffer.from(recorded.log, 'base64'), made: bootLog([event, event]) };
    for (const [name, bytes] of Object.entries(logs)) {
      const values = [...replay(readBootLog(bytes), SELECTION.bank)].sort(([one], [other]) => one - other);
      write(`${name}.log`, bytes);
      write(`${name}.pcrs`, values.map(([pcr, value]) => `${pcr} ${hex(value)}\n`).join(''));
    }
  },

  /** Somebody between the processor and the TPM changes one bit of an answer. */
  tampered: (channel) =>
    withPrimary(channel, template, (ek) =>
      withPrimary(channel, AK, async (ak) => {
        const between: TpmChannel = {
          ...channel,
          async transmit(command) {
            const answer = Buffer.from(await channel.transmit(command));
            const isActivation = Buffer.from(command).readUInt32BE(6) === 0x147;
            if (isActivation) answer[20] = (answer[20] ?? 0) ^ 1;
            return answer;
          },
        };
        const credential = makeCredential(ek.area, ak.name, Buffer.alloc(16, 7));
        const error = await activateCredential(between, ek, ak, credential).then(
          () => undefined,
          (refused: Error) => refused,
        );
        write('opened', error?.name ?? 'nobody noticed');
      }),
    ),
};

const channel = await openTpm('/run/tpm/socket', '/run/tpm/socket');
const work = VERBS[verb ?? ''];
if (!channel || !work) throw new Error(`no TPM, or no verb ${verb}`);
try {
  await work(channel);
} finally {
  await channel.close();
}
