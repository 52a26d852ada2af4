# Real rpm, with a database of its own: Debian's root stands for Fedora's.
fail() { echo "$*" >&2; exit 1; }
everything() { find / -xdev \( -path /tmp -o -path /images -o -path /case -o -path /var/lib/rpm \) -prune -o -print | sort; }
rpm="rpm --dbpath /tmp/rpm-database"
mkdir /tmp/rpm-database; $rpm --initdb
# The lab's root has no manuals; of every other system this folder is a part.
mkdir -p /usr/share/man/man8
everything >/tmp/before
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
rm -r /var/lib/slipway
$rpm -e slipway
everything >/tmp/after
diff /tmp/before /tmp/after || fail "something stays"
echo "installed, made the shim, installed again with its state, removed without trace"
