fail() { echo "$*" >&2; exit 1; }
# Does a command end at all? What reads from a pipe that nobody writes to does not.
ends() { timeout 300 "$@" >/tmp/out 2>&1 || { status=$?; [ $status -ne 124 ] || fail "does not end: $*"; return $status; }; }
# Names of users that no image has, each with a home of its own.
user() { useradd -m "$1"; }
as() { su -s /bin/sh "$1" -c "$2"; }
bootstrap() { ends slipway bootstrap --user-data "$1"; }
# An attack may make a step fail; user data that were refused before anything was done attack nothing.
attempt() { bootstrap "$1" || [ $? -eq 1 ] || fail "it was not tried: $(cat /tmp/out)"; }
NO_NODE='slipway: {kubeadm: none}'
for name in slipway slipway-controller; do ln -s /opt/dist/$name-linux-x64 /usr/local/bin/$name; done
PATH=/usr/local/bin:$PATH
