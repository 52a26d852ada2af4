# Real dpkg, in Debian's root: installed, made the shim, upgraded, no downgrade, removed, purged.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
fail() { echo "$*" >&2; exit 1; }
everything() { find / -xdev \( -path /var/lib/dpkg -o -path /var/log -o -path /tmp -o -path /images -o -path /case \) -prune -o -print | sort; }
other() { # VERSION: the same package with another version
  rm -rf /tmp/other; dpkg-deb -R "$IMAGE" /tmp/other
  own=$(dpkg-deb -f "$IMAGE" Version)
  sed -i "s/^Version: .*/Version: $1/" /tmp/other/DEBIAN/control
  sed -i "s/'$own'/'$1'/g" /tmp/other/DEBIAN/preinst
  dpkg-deb -Znone -b /tmp/other "/tmp/$1.deb" >/dev/null
}
everything >/tmp/before
dpkg -i "$IMAGE"
[ "$(slipway version | cut -d' ' -f2)" = "$(dpkg-deb -f "$IMAGE" Version)" ] || fail "it is not this version"
grep -q '^ExecStart=/usr/bin/slipway report$' /usr/lib/systemd/system/sysinit.target.wants/slipway-report.service
grep -q '^ExecStart=/usr/bin/slipway bootstrap$' /usr/lib/systemd/system/multi-user.target.wants/slipway.service
systemd-analyze verify /usr/lib/systemd/system/slipway.service
slipway install --shim
[ "$(readlink -f /usr/local/bin/kubeadm)" = /usr/bin/slipway ] || fail "kubeadm is not the shim"
[ "$(command -v kubeadm)" = /usr/local/bin/kubeadm ] || fail "the shim does not come first"
: >/etc/machine-id
slipway install --check
mkdir -p /var/lib/slipway; echo kept >/var/lib/slipway/journal.jsonl
other 99.0.0
dpkg -i /tmp/99.0.0.deb
[ "$(cat /var/lib/slipway/journal.jsonl)" = kept ] || fail "the upgrade took the state"
[ -L /usr/local/bin/kubeadm ] || fail "the upgrade took the shim"
if dpkg -i "$IMAGE" >/tmp/told 2>&1; then fail "an older version was taken"; fi
grep -q '99.0.0 is newer than' /tmp/told || fail "the downgrade is not explained: $(cat /tmp/told)"
[ "$(dpkg-query -W -f '${Version} ${db:Status-Status}' slipway)" = '99.0.0 installed' ] || fail "the downgrade left a mess"
# As in a root that an image is made of: nothing is mounted there.
umount -l /proc
status=0; slipway version 2>/tmp/told || status=$?
[ "$status" = 2 ] && grep -q 'call slipway by its whole path' /tmp/told || fail "without /proc: $status $(cat /tmp/told)"
/usr/bin/slipway install --shim --report
dpkg -r slipway
[ ! -e /usr/bin/slipway ] && [ ! -L /usr/local/bin/kubeadm ] || fail "it was not removed"
[ -e /var/lib/slipway/journal.jsonl ] || fail "removing took the state"
dpkg -P slipway
everything >/tmp/after
diff /tmp/before /tmp/after || fail "something stays"
echo "installed, made the shim, upgraded with its state, not downgraded, removed without trace"
