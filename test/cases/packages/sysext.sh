# Real systemd-sysext merges the image over a /usr that is read-only then, and takes it out again.
fail() { echo "$*" >&2; exit 1; }
mount --make-rshared /
mkdir -p /var/lib/extensions
cp "$IMAGE" /var/lib/extensions/slipway.raw
systemd-sysext merge
systemd-sysext status
slipway version >/dev/null || fail "it is merged and not to be seen"
if touch /usr/x 2>/dev/null; then fail "/usr can be written"; fi
touch /etc/cloud/cloud-init.disabled
: >/etc/machine-id
slipway install --check
status=0; slipway install --shim 2>/tmp/told || status=$?
[ "$status" = 2 ] && grep -q 'ln -s ../../bin/slipway /usr/local/bin/kubeadm' /tmp/told || fail "--shim: $status $(cat /tmp/told)"
systemd-analyze verify /usr/lib/systemd/system/slipway-boot.target /usr/lib/systemd/system/slipway.service
grep -q slipway-boot.target /usr/lib/systemd/system/multi-user.target.d/10-slipway.conf
systemd-sysext unmerge
[ ! -e /usr/bin/slipway ] || fail "it is still there"
# The README's way with cloud-init: the link is made before anything is merged.
rm /etc/cloud/cloud-init.disabled
touch /usr/bin/cloud-init
ln -s ../../bin/slipway /usr/local/bin/kubeadm
systemd-sysext merge
slipway install --check
slipway install --shim
[ "$(readlink -f /usr/local/bin/kubeadm)" = /usr/bin/slipway ] || fail "kubeadm is not Slipway"
status=0; slipway uninstall >/tmp/told 2>&1 || status=$?
[ "$status" = 2 ] && grep -q '/usr/local/bin/kubeadm cannot be removed: .*systemd-sysext unmerge' /tmp/told &&
  grep -q 'systemd-sysext unmerge, rm -r /var/lib/extensions/slipway.raw' /tmp/told || fail "uninstall: $status $(cat /tmp/told)"
systemd-sysext unmerge
echo "merged by systemd-sysext, run, and taken out again"
