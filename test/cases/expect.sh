# What scripts of cases have: they run by `bash -euo pipefail` on the machine, and end with what is not as it should be.
fail() { echo "not so: $*" >&2; exit 1; }
# is ACTUAL EXPECTED [WHAT]
is() { [ "$1" = "$2" ] || fail "${3-} is $(printf %q "$1"), not $(printf %q "$2")"; }
# has TEXT REGEX [WHAT], and its contrary
has() { grep -Eq -e "$2" <<<"$1" || fail "${3-} has no /$2/: $1"; }
has_no() { ! grep -Eq -e "$2" <<<"$1" || fail "${3-} has /$2/: $1"; }
exists() { for path; do [ -e "$path" ] || fail "there is no $path"; done; }
gone() { for path; do [ ! -e "$path" ] || fail "$path is still there"; done; }
# status N COMMAND...: it ends with that status
status() {
  local wanted=$1 actual=0; shift
  "$@" || actual=$?
  [ "$actual" = "$wanted" ] || fail "$* ended with status $actual, not $wanted"
}
# until_ok COMMAND...: asked again and again; the limit is far above what anything takes, on a busy machine too
until_ok() {
  local end=$((SECONDS + 300))
  until "$@" >/dev/null 2>&1; do [ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"; sleep 0.2; done
}
# By containerd's own tool: a release of Kubernetes from 1.31 on may come without crictl.
cri_answers() { ctr plugins ls | grep 'cri .* ok'; }
containers_of() { ctr --namespace k8s.io containers ls --quiet "labels.\"io.kubernetes.pod.name\"==$1"; }
pod_runs() {
  local running
  running=$(ctr --namespace k8s.io tasks ls | awk '$3 == "RUNNING" { print $1 }')
  containers_of "$1" | grep -xF -e "$running"
}
