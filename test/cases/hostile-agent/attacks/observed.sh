# only root's process of a file named kubeadm counts as one, whatever others call themselves
user dave
mkdir -p /run/cloud-init /etc/slipway /tmp/work
chmod 777 /tmp/work
cd /tmp/work
# No machine has finished here, so the reporter looks and looks; where it would send to, nobody listens.
echo '{"v1": {"datasource": "x", "stage": "modules-final"}}' >/run/cloud-init/status.json
printf 'report: {console: off, webhook: {url: "http://127.0.0.1:9/"}}\n' >/etc/slipway/config.yaml
mkfifo join init
chmod 666 join init
cp /bin/cat /usr/local/bin/kubeadm
# Named so by an argument, by a link, by a file of one's own, and by root of another program.
as dave "exec bash -c 'exec -a /usr/bin/kubeadm cat join'" &
fakes=$!
as dave 'cp /bin/cat ./kubeadm; exec ./kubeadm init' &
fakes="$fakes $!"
bash -c 'exec -a kubeadm cat init' &
fakes="$fakes $!"
until [ "$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -o 'kubeadm \(init\|join\)' | wc -l)" -ge 3 ]; do sleep 0.05; done
slipway report >/tmp/report.out 2>&1 &
reporter=$!
told() { cat /var/lib/slipway/report/spool.jsonl 2>/dev/null || true; }
until told | grep -q 'stage modules-final'; do kill -0 $reporter || fail "$(cat /tmp/report.out)"; sleep 0.05; done
# The fakes were there at its first look; what it tells of the real one comes after that.
/usr/local/bin/kubeadm join &
real=$!
until told | grep -q '"kubeadm join"'; do kill -0 $reporter || fail "$(cat /tmp/report.out)"; sleep 0.05; done
[ "$(told | grep -c '"message":"kubeadm ')" -eq 1 ] || fail "$(told)"
kill $reporter $real $fakes
