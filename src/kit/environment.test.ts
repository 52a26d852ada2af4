import { expect, it } from 'vitest';
import { withoutNodeVariables } from './environment.ts';

it('finds what would turn Node.js or OpenSSL, and keeps everything else', () => {
  const kept = {
    PATH: '/bin',
    HTTPS_PROXY: 'http://proxy',
    NODE_NAME: 'w1',
    NODE_IP: '10.0.0.1',
    NODE_OPTIONS: 'x',
  };
  expect(withoutNodeVariables(kept)).toBeUndefined();
  for (const name of [
    ...['NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_EXTRA_CA_CERTS', 'NODE_V8_COVERAGE', 'NODE_REDIRECT_WARNINGS'],
    'NODE_PENDING_DEPRECATION',
  ])
    expect(withoutNodeVariables({ ...kept, [name]: '0' })).toEqual(kept);
});
