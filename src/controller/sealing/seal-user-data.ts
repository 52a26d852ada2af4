import { ExpectedError } from '../../kit/errors.ts';
import { AT_CONTROLLER, MAX_SEALED_DATA_BYTES, type SealedStub } from '../../protocol/sealed-stub.ts';
import { MAX_SEALED_PART_BYTES } from '../../protocol/secret-release.ts';
import { type SealKeyFor, sealKeyFor } from '../../tpm/sealing/sealed-key.ts';
import { partDigest, sealPart } from '../../tpm/sealing/sealed-part.ts';
import type { SealedPart } from '../secret-release/sealed-parts.ts';
import type { SealedFor } from './machine-data.ts';

interface ToSeal {
  readonly machine: Pick<SealedFor, 'namespace' | 'name' | 'uid'>;
  /** User data of any format. */
  readonly content: Uint8Array;
  readonly lifetimeMs: number;
  /** Whose TPM opens it; absent: the controller has the key. */
  readonly target?: SealKeyFor | undefined;
  /** `controller`, `inline`, or a URL. */
  readonly where: string;
  readonly controller?: SealedStub['controller'];
}

interface SealedData {
  readonly stub: SealedStub;
  readonly part: Uint8Array;
  /** What the controller has to keep; undefined where it is not asked. */
  readonly kept?: SealedPart;
}

/** Makes of user data a stub and a sealed part. @throws ExpectedError if it is too large for where it shall lie */
export function sealUserData(asked: ToSeal): SealedData {
  const { content, controller, lifetimeMs, machine, target, where } = asked;
  if (content.length > MAX_SEALED_DATA_BYTES)
    throw new ExpectedError(
      `the user data has ${content.length} bytes, and no machine opens more than ${MAX_SEALED_DATA_BYTES}; let them fetch what is large in them`,
    );
  const expires = new Date(Date.now() + lifetimeMs).toISOString().replace(/\.\d+/, '');
  const { part, key } = sealPart(content, { machine: machine.uid, expires });
  const isKept = where === AT_CONTROLLER;
  // What does not get smaller has a little more than it had.
  if (part.length > MAX_SEALED_DATA_BYTES)
    throw new ExpectedError(
      `the sealed part has ${part.length} bytes, and no machine fetches more than ${MAX_SEALED_DATA_BYTES}`,
    );
  if (isKept && part.length > MAX_SEALED_PART_BYTES)
    throw new ExpectedError(
      `the sealed part has ${part.length} bytes, and the controller keeps at most ${MAX_SEALED_PART_BYTES}; let it lie elsewhere (--url with --part)`,
    );
  const digest = partDigest(part);
  const stub: SealedStub = {
    ...{ machine: machine.uid, expires, digest },
    part: where === 'inline' ? `data:;base64,${part.toString('base64')}` : where,
    key: target ? { tpm: sealKeyFor(target, key) } : AT_CONTROLLER,
    ...(controller ? { controller } : {}),
  };
  if (target && !isKept) return { stub, part };
  const name = `${machine.namespace}/${machine.name}`;
  const kept = { machine: name, expires, digest, ...(target ? {} : { key }), ...(isKept ? { part } : {}) };
  return { stub, part, kept };
}
