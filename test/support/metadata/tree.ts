import type { CloudRequest, Protocol } from './cloud-server.ts';

/** Files of a metadata service; a path with a slash at its end is a listing. */
export type Files = Record<string, string>;

export const KEY = 'ssh-ed25519 AAAAC3Nz somebody';
/** Makes no node; writes down who the machine is. The images of the readers' fixtures hold the same. */
export const USER_DATA = `## template: jinja
#cloud-config
slipway: {kubeadm: none}
write_files:
- {path: /made, content: '{{ v1.cloud_name }} {{ v1.instance_id }}'}
`;

/** Plain files behind GET; 404 for everything else. */
export function tree(files: Files): Protocol {
  return ({ method, path }: CloudRequest) => {
    if (method !== 'GET') return { status: 405 };
    const body = files[path] ?? files[`${path}/`];
    return body === undefined ? { status: 404, body: 'not found' } : { status: 200, body };
  };
}
