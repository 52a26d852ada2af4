# Files that only this machine can open, in user data of both formats.
make_tpm --create-ek-cert
start_tpm
# The machine's own device: a /dev of its own, for the host's is what lies there.
mount -t tmpfs tmpfs /mnt
for device in null zero random urandom tty; do cp -a "/dev/$device" /mnt/; done
ln -s $TPM/socket /mnt/tpmrm0
mount --bind /mnt /dev

seal() { slipway-controller seal - --for /tmp/me.json "$@"; }
indented() { sed 's/^/    /'; }
# files PATH=CONTENT-FILE...: user data that writes them, and what came of it
apply_files() {
  printf '#cloud-config\nslipway: {kubeadm: none}\nwrite_files:\n' >/tmp/user-data
  for pair; do
    printf -- '- path: %s\n  permissions: "0600"\n  content: |\n' "${pair%%=*}" >>/tmp/user-data
    indented <"${pair#*=}" >>/tmp/user-data
  done
  rm -rf /var/lib/slipway /run/slipway
  code=0
  slipway bootstrap --user-data /tmp/user-data >/tmp/out 2>&1 || code=$?
}
outcome() { python3 -c 'import json; print(json.load(open("/run/slipway/outcome.json")).get("failure", {}).get("code"))'; }

slipway identity --output json >/tmp/me.json
printf 'a private key\n' | seal --path /etc/secret >/tmp/sealed
printf 'of this boot\n' | seal --path /etc/boot-secret --pcrs 4,7 >/tmp/sealed-boot
has_no "$(cat /tmp/sealed)" 'private'

apply_files /etc/secret=/tmp/sealed /etc/boot-secret=/tmp/sealed-boot
is "$code" 0 "$(cat /tmp/out)"
is "$(cat /etc/secret /etc/boot-secret)" "$(printf 'a private key\nof this boot')"
is "$(stat -c %a /etc/secret)" 600
has_no "$(cat /var/lib/slipway/journal.jsonl /tmp/out)" 'private key|of this boot'
rm /etc/secret /etc/boot-secret

# Ignition carries it as it carries any file.
mkdir -p /etc/slipway
echo 'kubeadm: none' >/etc/slipway/node.yaml
cat >/tmp/user-data <<END
{"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": "/etc/secret", "mode": 384,
  "contents": {"source": "data:;base64,$(base64 -w0 /tmp/sealed)"}}]}}
END
rm -rf /var/lib/slipway /run/slipway
slipway bootstrap --user-data /tmp/user-data >/tmp/out 2>&1
is "$(cat /etc/secret)" 'a private key' "$(cat /tmp/out)"
rm /etc/secret

# Another path, a change, another boot state, another machine: nothing is written.
apply_files /etc/readable=/tmp/sealed
is "$code $(outcome)" '1 SealedFileDamaged'
gone /etc/readable
sed "$(($(wc -l </tmp/sealed) - 2))s/[A-Z]/0/" /tmp/sealed >/tmp/changed
apply_files /etc/secret=/tmp/changed
is "$code $(outcome)" '1 SealedFileDamaged'
tpm2_pcrextend 4:sha256=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
apply_files /etc/boot-secret=/tmp/sealed-boot
is "$code $(outcome)" '1 TpmBootStateChanged'
gone /etc/boot-secret
apply_files /etc/secret=/tmp/sealed
is "$code" 0 "$(cat /tmp/out)"
kill "$(cat $TPM/pid)"
until_ok test ! -e $TPM/pid
rm -rf $TPM/state $TPM/socket
make_tpm --create-ek-cert
start_tpm
rm /etc/secret
apply_files /etc/secret=/tmp/sealed
is "$code $(outcome)" '1 SealedFileForeign'
gone /etc/secret
is "$(tpm2_getcap handles-transient; tpm2_getcap handles-loaded-session)" ''
