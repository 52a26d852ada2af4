import { dirname } from 'node:path';
import type { Host } from '../../host/host.ts';
import { RECORD_BYTES } from './kvp-record.ts';
import { DeliveryError } from './transport.ts';

/** A file of records, and what tells which of them are of this boot. */
export interface KvpPool {
  path: string;
  /** A file that was made when the boot began and not touched again: it has the time that the clock showed then. */
  started: string;
}

/** The pool that guests write and hv_kvp_daemon shows to the host; PID 1 makes the other file. */
export const GUEST_POOL: KvpPool = {
  path: '/var/lib/hyperv/.kvp_pool_1',
  started: '/run/systemd/inaccessible/reg',
};

const LOCK_SECONDS = 5;
const TIMEOUT_MS = 15_000;
/** flock's exit status if somebody else has the lock for too long (EX_TEMPFAIL). */
const LOCKED = 75;

/**
 * Runs under the lock. It removes records that are older than this boot, as cloud-init does when it comes first. They must
 * be older by the present clock *and* by the clock at the start of the boot: if somebody set the clock meanwhile, records
 * of this boot would look old. It also removes a torn record (a full disk, a power cut), because nobody could read the
 * records after it.
 */
const SCRIPT = `
touched=$(stat -c %Y "$1") && size=$(stat -c %s "$1") || exit 1
started=$(stat -c %Y "$3" 2>/dev/null) || started=$2
whole=$((size - size % ${RECORD_BYTES}))
if [ "$touched" -lt "$2" ] && [ "$touched" -lt "$started" ]; then whole=0; fi
[ "$whole" = "$size" ] || truncate -s "$whole" "$1" || exit 1
cat >>"$1" && exit 0
truncate -s "$whole" "$1"
exit 1
`;

/**
 * Appends records to the pool, all of them or none, under the lock that cloud-init and azure-init take (flock). Node.js
 * has no such call, so flock(1) of util-linux makes it for us.
 *
 * @param bootedAt when the machine booted, in seconds since 1970, by the clock of now
 * @throws DeliveryError where that did not work
 */
export async function appendToPool(
  host: Host,
  pool: KvpPool,
  records: Uint8Array,
  bootedAt: number,
): Promise<void> {
  const { path, started } = pool;
  await host.files.mkdir(dirname(path));
  const lock = ['flock', '-w', String(LOCK_SECONDS), '-E', String(LOCKED), path] as const;
  const answer = await host.processes.run({
    argv: [...lock, 'sh', '-c', SCRIPT, 'sh', path, String(bootedAt), started],
    input: records,
    timeoutMs: TIMEOUT_MS,
  });
  if (answer.exitStatus === 0) return;
  const why =
    answer.exitStatus === LOCKED
      ? `another program has locked it for ${LOCK_SECONDS} s`
      : answer.stderr.trim() || `flock exited with status ${answer.exitStatus}`;
  throw new DeliveryError(`${path}: ${why}`);
}

/** Is this a guest of Hyper-V whose host reads the pool, and does it have flock? */
export async function hasPool(host: Host): Promise<boolean> {
  return (
    (await host.files.stat(GUEST_POOL.path)) !== undefined &&
    (await host.processes.which('flock')) !== undefined
  );
}
