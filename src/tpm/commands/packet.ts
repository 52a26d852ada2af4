import { createHash } from 'node:crypto';
import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import { MAX_PACKET_BYTES, type TpmChannel } from '../channel.ts';
import { COMMAND, TAG } from '../wire/constants.ts';
import { WireReader } from '../wire/reader.ts';
import { TpmError } from '../wire/tpm-error.ts';
import { bytesOf, sized, u16, u32 } from '../wire/writer.ts';
import type { Session } from './session.ts';

/** An object as a command names it. */
export interface Entity {
  readonly handle: number;
  /** What sessions sign instead of the handle: four bytes of the handle itself for hierarchies, registers and sessions. */
  readonly name: Uint8Array;
}

/** A hierarchy or a session, whose Name is its handle. */
export function handleEntity(handle: number): Entity {
  return { handle, name: u32(handle) };
}

export interface Call {
  readonly command: keyof typeof COMMAND;
  readonly handles?: readonly Entity[];
  /** One for each handle that needs authority, in that order. */
  readonly sessions?: readonly Session[];
  /** The first parameter's content where it is a sized buffer: what a session can encrypt. */
  readonly first?: Uint8Array;
  /** Everything after it. */
  readonly rest?: Uint8Array;
  /** The answer begins with the handle of a new object. */
  readonly makesHandle?: true;
}

interface Answer {
  /** 0 if the command makes none. */
  readonly handle: number;
  readonly parameters: WireReader;
}

/**
 * Sends one command (Part 1, 18) and checks the answer's form and its sessions.
 *
 * @throws TpmError if the TPM refuses, MalformedError, TamperedError, HostError
 */
export async function call(channel: TpmChannel, request: Call): Promise<Answer> {
  const { handles = [], sessions = [], command } = request;
  const code = u32(COMMAND[command]);
  const first = sessions.reduce<Uint8Array | undefined>(
    (bytes, session) => session.begin(bytes),
    request.first,
  );
  const parameters = bytesOf(...(first ? [sized(first)] : []), request.rest ?? Buffer.alloc(0));
  const signed = hash(code, ...handles.map(({ name }) => name), parameters);
  const areas = bytesOf(...sessions.map((session) => session.authorize(signed)));
  const body = bytesOf(
    code,
    ...handles.map(({ handle }) => u32(handle)),
    ...(sessions.length > 0 ? [u32(areas.length), areas] : []),
    parameters,
  );
  const tag = sessions.length > 0 ? TAG.sessions : TAG.noSessions;
  const answer = await transmit(channel, bytesOf(u16(tag), u32(body.length + 6), body));
  return readAnswer(answer, request, code);
}

/** A TPM that is busy with itself wants the same bytes again (Part 1, 30.4; Part 2, TPM_RC_RETRY, _YIELDED, _TESTING). */
async function transmit(channel: TpmChannel, bytes: Uint8Array): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await channel.transmit(bytes);
    const code = codeOf(answer);
    if (!BUSY.includes(code) || attempt === MAX_ATTEMPTS) return answer;
    await channel.pause(backoffMs(attempt, BACKOFF.tpm, Math.random));
  }
}

/** TPM_RC without the layer of the kernel's resource manager; the answer may be cut off. */
function codeOf(answer: Uint8Array): number {
  return answer.length < 10 ? 0 : Buffer.from(answer).readUInt32BE(6) & 0xffff;
}

const BUSY = [0x908, 0x90a, 0x922];
/** Some ten seconds: a self test takes no longer. */
const MAX_ATTEMPTS = 25;

function readAnswer(
  bytes: Uint8Array,
  { command, sessions = [], makesHandle }: Call,
  code: Uint8Array,
): Answer {
  const from = new WireReader(bytes.subarray(0, MAX_PACKET_BYTES), `the TPM's answer to ${command}`);
  const tag = from.u16();
  from.u32();
  from.u32();
  const refused = codeOf(bytes);
  if (refused !== 0) throw new TpmError(command, refused);
  const handle = makesHandle ? from.u32() : 0;
  const what = `the answer to ${command}`;
  if (tag !== TAG.sessions) return { handle, parameters: new WireReader(from.take(from.left), what) };
  const parameters = Buffer.from(from.take(from.u32()));
  const signed = hash(u32(0), code, parameters);
  for (const session of sessions) session.check(signed, from);
  from.end();
  return { handle, parameters: new WireReader(decrypted(sessions, parameters), what) };
}

/** Only the first parameter, a sized buffer, can be encrypted. */
function decrypted(sessions: readonly Session[], parameters: Buffer): Uint8Array {
  const session = sessions.find(({ encrypts }) => encrypts);
  if (!session) return parameters;
  const from = new WireReader(parameters, 'the encrypted parameter');
  const content = from.sized(MAX_PACKET_BYTES);
  return bytesOf(sized(session.open(content)), from.take(from.left));
}

function hash(...parts: readonly Uint8Array[]): Buffer {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest();
}
