import type { Failure } from '../../protocol/journal.ts';
import { codeOf } from '../engine/failure.ts';
import type { HostError } from '../host/host.ts';

/** The code for what should hold user data and cannot be read: what is there is not missing. */
export function codeOfUnreadable(error: HostError): Failure['code'] {
  if (error.errno === 'EFBIG') return 'UserDataTooLarge';
  const isMissing = error.errno === 'ENOENT' || error.errno === 'ENOTDIR';
  return codeOf(error, isMissing ? 'UserDataNotFound' : 'UserDataUnreadable');
}
