# Called in the virtual machine by bash -eux, in the folder of the answers.
run() {
  name=$1
  bash -c 'echo $$ >/run/slipway.pid; exec slipway bootstrap --user-data "$0" --deadline 1500s' "/own/$2" >"$name.log" 2>&1 ||
    echo $? >"$name.status"
  [ -e "$name.status" ] || echo 0 >"$name.status"
  cp /run/slipway/outcome.json "$name.json" || true
  rm -f /run/slipway/outcome.json
}
mkdir -p /etc/slipway /var/db/tang
echo 'kubeadm: none' >/etc/slipway/node.yaml
/usr/libexec/tangd-keygen /var/db/tang
busybox nc -ll -p 8080 -e /usr/libexec/tangd /var/db/tang >/dev/null 2>&1 &
until curl -sf http://127.0.0.1:8080/adv >/dev/null; do sleep 0.2; done
thumbprint=$(jose jwk thp -a S256 -i "$(grep -l verify /var/db/tang/*.jwk)")
sed -i "s/@THUMBPRINT@/$thumbprint/" /own/whole.ign
# What gives its data up, and what does not.
mkfs.ext4 -q /dev/vde
mkfs.ext4 -q /dev/vdf
sha256sum /dev/vdd /dev/vdf >before
for kind in array luks; do
  run "$kind-over-data" "$kind-over-data.ign"
  rm /var/lib/slipway/journal.jsonl
done
sha256sum /dev/vdd /dev/vdf >after

for deadly in 'mdadm --create' 'cryptsetup luksFormat' 'cryptsetup luksOpen' 'clevis luks bind'; do
  echo "$deadly" >/run/deadly
  run "killed-${deadly##* }" whole.ign
  # It has killed.
  [ ! -e /run/deadly ]
done
run whole whole.ign
cat /srv/array/file /srv/plain/file /srv/bound/file >files
cp /etc/crypttab crypttab
cp /boot/grub/grub.cfg .
stat -c '%a %U %n' /etc/luks /etc/luks/* >keys
cat /etc/luks/plain >key
ls /run/slipway >run
cryptsetup luksDump /dev/vdc2 >plain.dump
cryptsetup luksDump /dev/vde >bound.dump
clevis luks list -d /dev/vde >bound.pins
mdadm --detail --export /dev/md/data >array.detail
grep -rl planted-key /var/lib/slipway /var/log >leaks || true

for name in array plain bound; do
  echo "$name was kept" >/srv/$name/mark
  umount /srv/$name
done
cryptsetup luksClose plain
cryptsetup luksClose bound
mdadm --stop /dev/md/data
rm /var/lib/slipway/journal.jsonl
run again whole.ign
cat /srv/array/mark /srv/plain/mark /srv/bound/mark >marks
