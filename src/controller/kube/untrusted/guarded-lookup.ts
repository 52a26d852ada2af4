import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { ExpectedError } from '../../../kit/errors.ts';
import { whyForbidden } from './forbidden-address.ts';

type Found = { readonly address: string; readonly family: number };
type Resolve = (name: string, answer: (error: Error | null, found: Found[]) => void) => void;

/** The system resolves four names at once for the whole process, and one may take it half a minute. */
const MOST_AT_ONCE = 2;

/** A tenant's API server has an address to which nobody but the operator may have the controller connect. */
class ForbiddenAddressError extends ExpectedError {
  override readonly name = 'ForbiddenAddressError';
  readonly code = 'EFORBIDDEN';
}

/** @param hostname of a URL. @throws ForbiddenAddressError where it is such an address itself */
export function refuseForbidden(hostname: string): void {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const why = isIP(host) === 0 ? undefined : whyForbidden(host);
  if (why !== undefined) throw refused(host, why);
}

/**
 * A lookup for `net.connect`: what it answers is what is connected to, so no name can mean one address when it is checked
 * and another when it is used. Addresses that are not allowed are left out.
 */
export function guardedLookup(from: Resolve = ofSystem): LookupFunction {
  return (hostname, { all }, callback) => {
    inTurn((done) =>
      from(hostname, (error, found) => {
        done();
        if (error) {
          callback(error, all ? [] : '', 0);
          return;
        }
        const allowed = found.filter(({ address }) => whyForbidden(address) === undefined);
        const [first] = allowed;
        const [foreign] = found;
        if (first) {
          if (all)
            callback(
              null,
              allowed.map(({ address, family }) => ({ address, family })),
            );
          else callback(null, first.address, first.family);
        } else {
          const address = foreign?.address ?? '';
          const why = foreign ? (whyForbidden(address) ?? '') : 'no address at all';
          callback(refused(`${hostname} (${address})`, why), all ? [] : '', 0);
        }
      }),
    );
  };
}

function refused(what: string, why: string): ForbiddenAddressError {
  return new ForbiddenAddressError(`${what} is ${why}, which a tenant's kubeconfig must not name`);
}

const ofSystem: Resolve = (name, answer) =>
  resolve(name, { all: true, order: 'verbatim' }, (error, found) => answer(error, found ?? []));

const waiting: (() => void)[] = [];
let active = 0;

/** Names whose servers do not answer hold up other tenants' names, but not the rest of the process. */
function inTurn(work: (done: () => void) => void): void {
  const begin = (): void => {
    active += 1;
    work(() => {
      active -= 1;
      waiting.shift()?.();
    });
  };
  if (active < MOST_AT_ONCE) begin();
  else waiting.push(begin);
}
