# settings that others than root can change are not followed, and that is said
printf '#cloud-config\n%s\nwrite_files: [{path: /tmp/done, content: x}]\n' "$NO_NODE" >/tmp/user-data
user carol
mkdir -p /etc/slipway/node.d
echo 'kernel: {modules: [evil]}' >/etc/slipway/node.d/10-evil.yaml
for change in 'chmod 0666 /etc/slipway/node.d/10-evil.yaml' 'chown carol /etc/slipway/node.d/10-evil.yaml' \
  'chmod 0777 /etc/slipway/node.d' 'chmod 0777 /etc/slipway' 'chown carol /etc/slipway'; do
  chown root /etc/slipway/node.d/10-evil.yaml
  chmod 0644 /etc/slipway/node.d/10-evil.yaml
  chown root /etc/slipway
  chmod 0755 /etc/slipway /etc/slipway/node.d
  $change
  status=0
  bootstrap /tmp/user-data || status=$?
  [ $status -eq 2 ] || fail "status $status after $change: $(cat /tmp/out)"
  grep -q ConfigFileUnsafe /run/slipway/outcome.json || fail "$(cat /run/slipway/outcome.json)"
done
[ ! -e /tmp/done ] || fail 'something was done'
