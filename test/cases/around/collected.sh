# collected.sh TAR: it holds what support needs, and no secret.
rm -rf /tmp/archive; mkdir /tmp/archive
tar -xf "$1" -C /tmp/archive
top=/tmp/archive/slipway-$(hostname)
exists "$top"/{README.txt,slipway/journal.jsonl,slipway/plan.txt,units/kubelet.log,units/containerd.log} \
  "$top"/{kubernetes/kubeadm-join-config.yaml,containers/images.txt,machine/disks.txt,network/routes.txt}
for secret in "$TOKEN" "${TOKEN#*.}" pr0xy-hunter2; do
  ! grep -raqF -e "$secret" /tmp/archive || fail 'a secret is in the archive'
done
# What is redacted is followed by more on its line.
! grep -raq 'PRIVATE KEY-----$' /tmp/archive || fail 'a private key is in the archive'
