#!/bin/bash
# Lays a machine's file system and network inside the new namespaces, then becomes its systemd. Everything mounted here
# is seen by this machine only. Environment: MACHINE (its directory), LAB_DIR and what `settings` says.
set -eu
D=$MACHINE R=$MACHINE/root
cd "$D"
. ./settings

if [ -z "${IN_GROUP-}" ]; then
  # Join the machine's groups first: the namespace that hides what is above takes its root from where its maker is.
  while read -r group; do echo 0 > "$group/cgroup.procs"; done <<< "$GROUPS_OF_MACHINE"
  IN_GROUP=1 exec unshare --cgroup bash --norc "$LAB_DIR/machine-init.sh"
fi

# /proc is still the host's here, so this is the number by which the host knows this process.
read -r host_pid _ < /proc/self/stat

[ -e made ] && hostname=$(cat upper/etc/hostname 2>/dev/null || echo "$NAME") || hostname=$NAME
hostname "$hostname"

mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$D/upper,workdir=$D/work" "$R"
# Overlays cannot be stacked on an overlay: what containers and etcd write goes to the real disk below.
for dir in $REAL_DISK; do
  mkdir -p "$D/disk/$dir" "$R/$dir"
  mount --bind "$D/disk/$dir" "$R/$dir"
done

mount -t proc proc "$R/proc"
mount -t sysfs -o ro sysfs "$R/sys"
mount -t tmpfs -o mode=755 tmpfs "$R/run"

# --- control groups: the host's hierarchies, seen from this machine's group as their root
if [ -n "$PURE_V2" ]; then
  mount -t cgroup2 cgroup2 "$R/sys/fs/cgroup"
else
  mount -t tmpfs -o mode=755 tmpfs "$R/sys/fs/cgroup"
  while read -r version name options; do
    mkdir "$R/sys/fs/cgroup/$name"
    if [ "$version" = 2 ]; then mount -t cgroup2 cgroup2 "$R/sys/fs/cgroup/$name"
    else mount -t cgroup -o "$options" cgroup "$R/sys/fs/cgroup/$name"; fi
    case $name in *,*) for one in ${name//,/ }; do ln -s "$name" "$R/sys/fs/cgroup/$one"; done ;; esac
  done <<< "$HIERARCHIES"
fi

# --- devices
mount -t tmpfs -o mode=755 tmpfs "$R/dev"
mkdir "$R/dev/pts" "$R/dev/shm" "$R/dev/mqueue" "$R/dev/net"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$R/dev/pts"
mount -t tmpfs tmpfs "$R/dev/shm"
while read -r name major minor; do mknod -m 666 "$R/dev/$name" c "$major" "$minor"; done <<'DEVICES'
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
kmsg 1 11
fuse 10 229
net/tun 10 200
DEVICES
ln -s pts/ptmx "$R/dev/ptmx"
ln -s /proc/self/fd "$R/dev/fd"
for n in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${n%:*}" "$R/dev/${n#*:}"; done
: > "$R/dev/console"
mount --bind "$(tty)" "$R/dev/console"

# --- the kernel's knobs are shared with the host: only those of the network and of the names belong to the machine
P=$R/proc/sys
mount --bind "$P" "$P"
mount -o remount,bind,ro "$P"
for own in net kernel/hostname kernel/domainname; do mount --bind "$P/$own" "$P/$own"; mount -o remount,bind,rw "$P/$own"; done
# These the kubelet insists on setting. The machine gets a file of its own for each, beginning with the host's value.
mkdir -p "$R/run/lab/sysctl"
for key in $OWN_SYSCTLS; do
  [ -e "$P/$key" ] || continue
  cat "$P/$key" > "$R/run/lab/sysctl/${key//\//.}"
  mount --bind "$R/run/lab/sysctl/${key//\//.}" "$P/$key"
done
cp boot-id "$R/run/lab/boot-id"; chmod 444 "$R/run/lab/boot-id"
mount --bind "$R/run/lab/boot-id" "$P/kernel/random/boot_id"
[ ! -e "$R/proc/sysrq-trigger" ] || mount --bind /dev/null "$R/proc/sysrq-trigger"

# --- kernel modules: the host's, to look at; where it has none, what is built in, so that `modprobe` knows it
modules=lib/modules/$(uname -r)
if [ -d "/$modules" ]; then
  mkdir -p "$R/$modules"
  mount --bind "/$modules" "$R/$modules"
  mount -o remount,bind,ro "$R/$modules"
elif [ ! -e "$R/$modules" ]; then
  mkdir -p "$R/$modules"
  : > "$R/$modules/modules.order"
  printf 'kernel/%s.ko\n' fs/overlayfs/overlay net/bridge/br_netfilter > "$R/$modules/modules.builtin"
  chroot "$R" depmod
fi

# --- what an installer would have written, once for this disk
if [ ! -e made ]; then
  echo "$NAME" > "$R/etc/hostname"
  printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n%s %s\n' "$IP" "$NAME" > "$R/etc/hosts"
  tr -d - < /proc/sys/kernel/random/uuid > "$R/etc/machine-id"
  rm -f "$R/etc/resolv.conf"
  echo 'nameserver 127.0.0.1' > "$R/etc/resolv.conf"
  [ ! -e cni.conflist ] || cp cni.conflist "$R/etc/cni/net.d/10-bridge.conflist"
  # Through chroot, because the machine's own symbolic links (/lib, /var/run) must lead inside it.
  while IFS=$'\t' read -r from mode path; do
    [ -n "$path" ] || continue
    if [ "$mode" = link ]; then
      chroot "$R" /bin/sh -ec 'mkdir -p "$(dirname "$2")"; ln -sfn "$1" "$2"' sh "$from" "$path"
      continue
    fi
    chroot "$R" /bin/sh -ec 'umask 022; mkdir -p "$(dirname "$2")"; umask 077; cat > "$2"; chmod "$1" "$2"' sh "$mode" "$path" < "$from"
  done < files
  while read -r unit; do [ -z "$unit" ] || chroot "$R" systemctl --quiet enable "$unit"; done < units
  : > made
  rm -rf staged
fi

# --- network: a cable from the lab's switch to eth0
in_switch() { nsenter --net="/proc/$SWITCH_PID/ns/net" "$@"; }
for _ in $(seq 1000); do # the last boot's end of the cable goes when the kernel has cleaned its namespace up
  in_switch ip link del "$CABLE" 2>/dev/null || :
  # This process's, by its path: as the number 1, by which it knows itself, newer versions of ip refuse it.
  in_switch ip link add "$CABLE" type veth peer name eth0 address "$MAC" netns "/proc/$host_pid/ns/net" && break
  sleep 0.1
done
in_switch ip link set "$CABLE" master br0 up
ip link set lo up
ip addr add "$IP/16" dev eth0
ip link set eth0 up
ip route add default via "$GATEWAY"

printf '%s\n' "$host_pid" > init.pid.new
echo running > state.new

cd "$R"
mkdir -p .host
mount --make-rprivate /
pivot_root . .host
cd /
# The last things to be done outside: from here on the machine's PID 1 can be entered.
mv ".host$D/init.pid.new" ".host$D/init.pid"
mv ".host$D/state.new" ".host$D/state"
umount -l /.host
rmdir /.host
mount --make-rshared /
exec env -i container=slipway-lab PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
  setpriv --bounding-set=-sys_time,-sys_module --inh-caps=-all \
  /lib/systemd/systemd --unit=multi-user.target --show-status=yes
