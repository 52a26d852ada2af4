import type { TLSSocket } from 'node:tls';
import { expect, it } from 'vitest';
import { peerOf, peerUri } from './peer.ts';

const PEER = { namespace: 'ns', name: 'm', binding: '0'.repeat(64) };

/** A connection whose certificate the TLS layer has checked when it began. */
function connection(more: { authorized?: boolean; uri?: string } = {}): TLSSocket {
  const { authorized = true, uri = peerUri(PEER) } = more;
  const certificate = {
    ...{ subjectaltname: `URI:${uri}`, serialNumber: 'AB01', valid_to: 'Nov 22 12:00:00 2026 GMT' },
    valid_from: 'Nov 14 12:00:00 2026 GMT',
  };
  return { authorized, getPeerCertificate: () => certificate } as unknown as TLSSocket;
}

const NOON = Date.parse('2026-11-22T12:00:00Z');

it('looks at the end of a certificate at each request, on a connection that is kept', () => {
  const socket = connection();
  expect(peerOf(socket, NOON - 1)).toEqual({
    ...PEER,
    serial: 'ab01',
    // It is valid from a day before it was made.
    madeAt: Date.parse('2026-11-15T12:00:00Z'),
  });
  expect(peerOf(socket, NOON + 1)).toBeUndefined();
  // A session that is resumed brings its certificate along.
  expect(peerOf(connection(), NOON + 1)).toBeUndefined();
});

it("knows nobody by a certificate that is not its authority's, or that names no node", () => {
  expect(peerOf(connection({ authorized: false }), NOON - 1)).toBeUndefined();
  for (const uri of ['slipway:node/ns/m', `slipway:node/ns/m/n/${PEER.binding}`, 'spiffe://ns/m'])
    expect(peerOf(connection({ uri }), NOON - 1)).toBeUndefined();
});
