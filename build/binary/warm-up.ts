import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { EXEC_ARGV } from './pack.ts';

/**
 * Makes the code cache of the agent's bundle by letting it work: it applies a document below a folder, and V8 then
 * writes down everything that was compiled on the way.
 *
 * @param node the Node.js that goes into the binary: a cache serves exactly the V8 that made it
 * @param agent path of the wrapped bundle
 * @param scratch an empty folder
 * @returns path of the cache
 * @throws Error when V8 does not accept the cache it made
 */
export function warmUp(node: string, agent: string, scratch: string): string {
  const root = join(scratch, 'root');
  const userData = join(scratch, 'user-data');
  const cache = join(scratch, 'agent-cache');
  const programs = join(scratch, 'bin');
  mkdirSync(root);
  mkdirSync(programs);
  writeFileSync(join(programs, 'chroot'), CHROOT, { mode: 0o755 });
  writeFileSync(userData, USER_DATA);
  writeFileSync(`${userData}-meta`, META_DATA);
  const worker = join(import.meta.dirname, 'warm-up-worker.ts');
  const run = (...words: string[]): void => {
    execaSync(node, [...EXEC_ARGV, worker, agent, cache, ...words], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PATH: `${programs}:${process.env.PATH}` },
      timeout: 60_000,
      // The agent takes SIGTERM for a wish to stop, which a hanging one would never grant.
      killSignal: 'SIGKILL',
    });
  };
  run('make', root, userData);
  run('check');
  return cache;
}

/**
 * Stands in for chroot, which only root may use and which would find no shell below the folder: it runs the script of the
 * document's commands on the folder itself, so that the agent comes through all of its work.
 */
const CHROOT = `#!/bin/sh
sed "s#'/run/slipway#'$1/run/slipway#" "$1$3" >"$1/script" && exec "$2" "$1/script"
`;

/** Has one of everything that a Cluster API machine's document has. */
const USER_DATA = `## template: jinja
#cloud-config

write_files:
-   path: /etc/kubernetes/pki/ca.crt
    owner: root:root
    permissions: '0640'
    content: |
      {{ ds.meta_data.instance_id }}
-   path: /etc/a
    encoding: gzip+base64
    content: H4sIAAAAAAACA0vkAgAHoerdAgAAAA==
slipway: {kubeadm: none}
runcmd:
  - "true"
  - [echo, "a b"]
`;

const META_DATA = 'instance-id: warm-up\nlocal-hostname: warm-up\n';
