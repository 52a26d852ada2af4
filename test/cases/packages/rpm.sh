# Real rpm, with a database of its own: Debian's root stands for Fedora's.
fail() { echo "$*" >&2; exit 1; }
everything() { find / -xdev \( -path /tmp -o -path /images -o -path /case -o -path /var/lib/rpm \) -prune -o -print | sort; }
rpm="rpm --dbpath /tmp/rpm-database"
mkdir /tmp/rpm-database; $rpm --initdb
# The lab's root has no manuals; of every other system this folder is a part.
mkdir -p /usr/share/man/man8
everything >/tmp/before
other() { # VERSION: the shipped spec with a small program
  mkdir -p "/tmp/$1/usr/bin"
  $rpm -ql slipway | grep -vx /usr/bin/slipway | tar --no-recursion -C / -cf - -T - 2>/dev/null | tar -x -C "/tmp/$1"
  printf '#!/bin/sh\necho slipway %s\n' "$1" >"/tmp/$1/usr/bin/slipway"
  chmod 755 "/tmp/$1/usr/bin/slipway"
  HOME=/tmp rpmbuild -bb --quiet --define "_topdir /tmp/rpmbuild" --define "_rpmdir /tmp" --define "_rpmfilename $1.rpm" \
    --define "slipway_version $1" --define "slipway_tree /tmp/$1" /checkout/images/rpm/slipway.spec
}
# glibc and libstdc++ are here, but not in this database.
$rpm -i --nodeps "$IMAGE"
$rpm -V --nodeps slipway || fail "rpm does not find what it has installed"
slipway version >/dev/null
slipway install --shim
: >/etc/machine-id
slipway install --check
mkdir -p /var/lib/slipway; echo kept >/var/lib/slipway/journal.jsonl
$rpm -U --nodeps --replacepkgs "$IMAGE"
[ "$(cat /var/lib/slipway/journal.jsonl)" = kept ] && [ -L /usr/local/bin/kubeadm ] || fail "installing again took something"
other 99.0.0
$rpm -U --nodeps /tmp/99.0.0.rpm
[ "$(slipway version)" = 'slipway 99.0.0' ] || fail "it was not upgraded"
[ "$(cat /var/lib/slipway/journal.jsonl)" = kept ] && [ -L /usr/local/bin/kubeadm ] || fail "the upgrade took something"
if $rpm -U --nodeps "$IMAGE" 2>/tmp/told; then fail "an older version was taken"; fi
grep -q 'newer than' /tmp/told || fail "the downgrade is not explained: $(cat /tmp/told)"
$rpm -U --nodeps --oldpackage "$IMAGE"
rm -r /var/lib/slipway
$rpm -e slipway
everything >/tmp/after
diff /tmp/before /tmp/after || fail "something stays"
echo "installed, made the shim, upgraded with its state, not downgraded, removed without trace"
