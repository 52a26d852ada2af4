import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { AGENT_ARGV, SEED } from './pack.ts';

/** Caches are made until two are the same; where so many differ, something in the agent hangs on chance. */
const MOST_CACHES = 8;

interface WarmUp {
  /** The Node.js that goes into the binary: a cache serves exactly the V8 that made it. */
  readonly node: string;
  /** Words that run it here; see `BaseNode`. */
  readonly runner: readonly string[];
  /** Absolute path of the agent's script, an `AgentScript`. The cache, and what is made on the way, come beside it. */
  readonly script: string;
}

/**
 * Makes the agent's code cache by letting it work: it applies a document below a folder, and V8 then writes down everything that was
 * compiled on the way. That follows the clock a little: on a busy machine the agent may come past a function that it otherwise
 * needs. So it is done until the same cache has come twice.
 *
 * @returns the cache's absolute path
 * @throws Error when V8 does not accept the cache it made, or no two are the same
 */
export function warmUp(options: WarmUp): string {
  const cache = `${options.script}-cache`;
  const seen: Buffer[] = [];
  while (seen.length < MOST_CACHES) {
    makeCache(options, cache);
    const made = readFileSync(cache);
    if (seen.some((other) => other.equals(made))) {
      runWorker(options, [cache, 'check']);
      return cache;
    }
    seen.push(made);
  }
  throw new Error(
    `${MOST_CACHES} code caches of the same agent are all different: its warm-up hangs on chance`,
  );
}

function makeCache(options: WarmUp, cache: string): void {
  const scratch = `${options.script}-warm-up`;
  const [root, programs, userData] = ['root', 'bin', 'user-data'].map((name) => join(scratch, name)) as [
    string,
    string,
    string,
  ];
  const image = join(root, 'etc/cloud');
  for (const folder of [join(image, 'cloud.cfg.d'), programs]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(image, 'cloud.cfg'), CLOUD_CFG);
  writeFileSync(join(image, 'cloud.cfg.d/05_logging.cfg'), LOGGING_CFG);
  writeFileSync(join(programs, 'chroot'), CHROOT, { mode: 0o755 });
  writeFileSync(userData, USER_DATA);
  writeFileSync(`${userData}-meta`, META_DATA);
  // With a seed, so that the same source has the same cache each time. The check is that of a normal start.
  runWorker(options, [cache, 'make', root, userData], [SEED], programs);
  rmSync(scratch, { recursive: true });
}

function runWorker(
  { node, runner, script }: WarmUp,
  words: readonly string[],
  seed: readonly string[] = [],
  programs = '',
): void {
  const worker = join(import.meta.dirname, 'warm-up-worker.ts');
  const [program = node, ...before] = [...runner, node, ...seed, ...AGENT_ARGV];
  execaSync(program, [...before, worker, script, ...words], {
    // What a failure quotes; and a pipe is what a boot's programs mostly have.
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${programs}:${process.env.PATH}`, NODE_OPTIONS: '' },
    timeout: 120_000,
    // The agent takes SIGTERM for a wish to stop, which a hanging one would never grant.
    killSignal: 'SIGKILL',
  });
}

/**
 * Stands in for chroot, which only root may use and which would find no shell below the folder: it runs the script of the
 * document's commands on the folder itself, so that the agent comes through all of its work. Whatever else is called reads
 * what it is given: where it has ended before, the agent sees that, or not, by chance.
 */
const CHROOT = `#!/bin/sh
root=$1
shift
[ -f "$root$2" ] || exec "$@"
sed "s#'/run/slipway#'$root/run/slipway#" "$root$2" >"$root/script" && exec "$1" "$root/script"
`;

/**
 * Has one of everything that a Cluster API machine's document has, and a command that the agent has to wait for: it then
 * comes through all that only waiting needs, on a fast machine too.
 */
const USER_DATA = `## template: jinja
#cloud-config

write_files:
-   path: /etc/kubernetes/pki/ca.crt
    owner: root:root
    permissions: '0640'
    content: |
      {{ ds.meta_data.instance_id }}
      -----BEGIN CERTIFICATE-----
      TUlJQzV6Q0NBYytn
      -----END CERTIFICATE-----
-   path: /etc/kubernetes/pki/ca.key
    owner: root:root
    permissions: '0600'
    content: |
      -----BEGIN RSA PRIVATE KEY-----
      bm90IGEga2V5IGF0IGFsbA==
      -----END RSA PRIVATE KEY-----
-   path: /run/kubeadm/kubeadm.yaml
    owner: root:root
    permissions: '0640'
    content: |
      bootstrapTokens:
      - token: abcdef.0123456789abcdef
      criSocket: unix:///run/containerd/containerd.sock
-   path: /etc/a
    encoding: gzip+base64
    content: H4sIAAAAAAACA0vkAgAHoerdAgAAAA==
users: []
slipway: {kubeadm: none}
runcmd:
  - sleep 0.3
  - [echo, "a b"]
  - "echo a > /dev/null"
  - "for i in 1 2; do echo $i; done"
`;

/** As an image has it: read at each boot, and of its lists and settings most count for nothing. */
const CLOUD_CFG = `# The modules that run in the 'init' stage
users:
   - default
disable_root: true
preserve_hostname: false

cloud_init_modules:
 - seed_random
 - write-files

system_info:
   distro: debian
   default_user:
     name: debian
     lock_passwd: True
     sudo: ["ALL=(ALL) NOPASSWD:ALL"]
   paths:
      cloud_dir: /var/lib/cloud/
   package_mirrors:
     - arches: [default]
       failsafe:
         primary: https://deb.debian.org/debian
`;

/** The one beside it that every image has, of which nothing counts. */
const LOGGING_CFG = `_log:
 - &log_base |
   [formatter_arg0Formatter]
   format=%(asctime)s - "%(levelname)s": %(message)s
output: {all: '| tee -a /var/log/cloud-init-output.log'}
`;

const META_DATA = 'instance-id: warm-up\nlocal-hostname: warm-up\n';
