import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { decide } from './decide.ts';
import { signingRequest } from './fixtures/requests.ts';
import { approve, deny } from './verdict.ts';

/** An API server with one request. */
function server(fails?: KubeError) {
  const sent: { method: string; path: string; body?: unknown }[] = [];
  const request = async (
    method: string,
    path: string,
    options: { body?: unknown } = {},
  ): Promise<unknown> => {
    sent.push({ method, path, ...options });
    if (fails && method === 'PUT') throw fails;
    return signingRequest({}, { name: 'a?b' });
  };
  return { sent, client: { request } as unknown as KubeClient };
}

const at = { name: 'a?b', uid: 'uid-a?b', version: '1' };

it('writes its word onto the object that was judged, with the reason', async () => {
  for (const [verdict, type, reason] of [
    [approve('it is so'), 'Approved', 'SlipwayApproved'],
    [deny('it is not'), 'Denied', 'SlipwayDenied'],
  ] as const) {
    const { sent, client } = server();
    expect(await decide(client, at, verdict)).toBe(true);
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests/a%3Fb';
    expect(sent).toMatchObject([
      { method: 'GET', path },
      {
        ...{ method: 'PUT', path: `${path}/approval` },
        body: {
          metadata: { uid: 'uid-a?b', resourceVersion: '1' },
          status: { conditions: [{ type, reason, status: 'True', message: `${verdict.because}.` }] },
        },
      },
    ]);
  }
});

it('writes nothing onto another one of that name, or one that was changed', async () => {
  for (const other of [{ uid: 'x' }, { version: '2' }]) {
    const { sent, client } = server();
    expect(await decide(client, { ...at, ...other }, approve('it is so'))).toBe(false);
    expect(sent.map(({ method }) => method)).toEqual(['GET']);
  }
});

it('gives way where somebody else decides at this moment, and tells of all else that fails', async () => {
  for (const status of [404, 409])
    expect(await decide(server(new KubeError(status, '', '')).client, at, deny('no'))).toBe(false);
  const forbidden = server(new KubeError(403, 'Forbidden', 'may not approve')).client;
  await expect(decide(forbidden, at, approve('yes'))).rejects.toThrow('may not approve');
});
