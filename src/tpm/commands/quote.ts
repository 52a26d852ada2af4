import type { TpmChannel } from '../channel.ts';
import { encodeSelection, type PcrSelection } from '../objects/pcr-selection.ts';
import { ALG } from '../wire/constants.ts';
import { bytesOf, u16 } from '../wire/writer.ts';
import { call } from './packet.ts';
import type { LoadedKey } from './primary.ts';
import { EMPTY_PASSWORD } from './session.ts';

/** As the TPM gave it; `decodeQuoted` and `decodeSignature` read it. */
interface Quote {
  /** TPMS_ATTEST. */
  readonly quoted: Uint8Array;
  /** TPMT_SIGNATURE. */
  readonly signature: Uint8Array;
}

/** TPM2_Quote. @param extraData what the asker wants to find in it again, at most 64 bytes */
export async function quote(
  channel: TpmChannel,
  ak: LoadedKey,
  extraData: Uint8Array,
  selection: PcrSelection,
): Promise<Quote> {
  const { parameters } = await call(channel, {
    command: 'quote',
    handles: [ak],
    sessions: [EMPTY_PASSWORD],
    first: extraData,
    // The key's own scheme.
    rest: bytesOf(u16(ALG.null), encodeSelection(selection)),
  });
  return { quoted: parameters.sized(2048), signature: parameters.take(parameters.left) };
}
