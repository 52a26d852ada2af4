/** The set-up itself failed; chroot and unshare use 1, 125, 126 and 127. */
export const SETUP_FAILED = 124;
/** Begins the last line of a set-up that failed. */
export const SETUP_FAILED_WORDS = 'slipway: the namespaces could not be set up';

/** What useradd and its like need; each counts in the sandbox's own user namespace only. */
const CAPABILITIES = [
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'setuid',
  'setgid',
  'sys_chroot',
  'audit_write',
];

/**
 * Runs a program of an untrusted root. `unshare` has just started this shell as process 1 of fresh mount, process, network, IPC
 * and host name namespaces; it uses the host's tools alone until the last line. Arguments: the root's real path, the ID map,
 * mounts as `MODE PATH` (`hide`, or the mount options to keep), `--`, the program and its arguments. With no program it only
 * tries the set-up.
 *
 * What keeps the program in, in this order:
 * - Devices of the image are dead (nodev). It gets five harmless ones, read-only, because the owner of a node could change its
 *   mode, and user 0 in here is user 0 outside.
 * - It runs in a user namespace that owns none of the other namespaces. So it can mount nothing and unmount nothing.
 * - It cannot make further namespaces, in which it could: the limits for its user namespace are zero.
 * - The image is moved over `/`: a chroot that a process walks out of ends there. No /proc and no /sys is left in the mount
 *   namespace. User 0 could write to the settings of the kernel in them.
 * - Of its capabilities only those remain that accounts need, and no program can add to them.
 * - This shell stays process 1: when `unshare` is killed, the kernel ends it and everything in the namespace.
 */
export const SETUP_SCRIPT = `
set -eu
trap 'echo "${SETUP_FAILED_WORDS}" >&2; exit ${SETUP_FAILED}' EXIT
root=$1 map=$2
shift 2
ulimit -c 0
mount -t proc -o nosuid,nodev,noexec proc /proc
mount -t tmpfs -o nosuid,noexec,mode=755,size=64k none /sys
mkdir /sys/dev
for node in null zero full random urandom; do
  : >/sys/dev/$node
  mount --bind /dev/$node /sys/dev/$node
  mount -o remount,bind,ro,nosuid,noexec none /sys/dev/$node
done
: >/sys/user
mount --rbind "$root" "$root"
while [ "$1" != -- ]; do
  case $1 in
    hide) mount -t tmpfs -o ro,nosuid,nodev,noexec,size=4k none "$root$2" ;;
    *) mount -o "remount,bind,$1" none "$root$2" ;;
  esac
  shift 2
done
shift
if [ -d "$root/dev" ] && ! [ -L "$root/dev" ]; then
  mount --rbind /sys/dev "$root/dev"
  mount -o remount,bind,ro,nosuid,noexec none "$root/dev"
fi
own=$(readlink /proc/self/ns/user)
unshare --user sleep 60 </dev/null >/dev/null &
holder=$!
while [ "$(readlink /proc/$holder/ns/user)" = "$own" ]; do :; done
printf %s "$map" >/proc/$holder/gid_map
printf %s "$map" >/proc/$holder/uid_map
mount --bind /proc/$holder/ns/user /sys/user
kill -9 $holder
wait $holder 2>/dev/null || :
nsenter --user=/sys/user sh -c 'for limit in /proc/sys/user/max_*_namespaces; do echo 0 >"$limit" || exit 1; done'
cd "$root"
mount --move "$root" /
umount -l /proc
trap - EXIT
set +e
confined() {
  nsenter --user=/sys/user setpriv --no-new-privs --inh-caps=-all \\
    --bounding-set=-all,${CAPABILITIES.map((name) => `+${name}`).join(',')} "$@"
}
if [ $# = 0 ]; then confined true; else confined chroot . "$@"; fi
exit $?
`;
