# What the scripts of this case have: the machine, and its user data.

install -m 755 /opt/dist/slipway-linux-x64 /usr/local/bin/slipway
ip link set lo up
mkdir -p /etc/slipway

# The secrets of the case: none of them is anywhere but in the files that they are for.
PLANTED='planted-[a-z]+-[0-9]+'
printf 'kubeadm: none\nsecrets: {aws: {region: eu-central-1, endpoint: "http://127.0.0.1:5000"}}\n' >/etc/slipway/node.yaml

# bootstrap [OPTION...]: with /tmp/user-data, anew; its status in $code
bootstrap() {
  rm -rf /var/lib/slipway /run/slipway
  code=0
  slipway bootstrap --user-data /tmp/user-data "$@" >/tmp/out 2>&1 || code=$?
  has_no "$(cat /var/lib/slipway/journal.jsonl /run/slipway/outcome.json /tmp/out)" "$PLANTED" 'what was told'
}
outcome() { python3 -c 'import json
outcome = json.load(open("/run/slipway/outcome.json"))
print(outcome.get("failure", {}).get("code"), [finding["code"] for finding in outcome["findings"]])'; }
# holding FOLDER...: the files with a secret in them
holding() { grep -rlE "$PLANTED" "$@" || [ $? -eq 1 ]; }
# file PATH MODE CONTENT
file() { is "$(stat -c %a "$1")" "$2" "mode of $1"; is "$(cat "$1")" "$3" "$1"; }
# cloud_config PATH=REFERENCE...
cloud_config() {
  printf '#cloud-config\nwrite_files:\n' >/tmp/user-data
  for pair; do printf -- '- {path: %s, source: {uri: "%s"}}\n' "${pair%%=*}" "${pair#*=}" >>/tmp/user-data; done
}
