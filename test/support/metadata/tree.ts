import type { Asked, Protocol } from './cloud-server.ts';

/** Files of a metadata service; a path with a slash at its end is a listing. */
export type Files = Record<string, string>;

export const KEY = 'ssh-ed25519 AAAAC3Nz somebody';
export const USER_DATA = '#cloud-config\nruncmd: [ls]\n';

/** Plain files behind GET; 404 for everything else. */
export function tree(files: Files): Protocol {
  return ({ method, path }: Asked) => {
    if (method !== 'GET') return { status: 405 };
    const body = files[path] ?? files[`${path}/`];
    return body === undefined ? { status: 404, body: 'not found' } : { status: 200, body };
  };
}
