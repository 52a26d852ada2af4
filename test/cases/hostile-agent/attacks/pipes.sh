# pipes and endless files in a home hold up neither bootstrap, nor collect, nor reset
user bob
as bob 'mkdir -m 700 ~/.ssh ~/.docker; mkfifo ~/.ssh/authorized_keys ~/.docker/config.json'
cat >/tmp/user-data <<DATA
#cloud-config
$NO_NODE
users: [{name: bob, ssh_authorized_keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 key"]}]
DATA
attempt /tmp/user-data
for file in 'rm ~/.docker/config.json; ln -s /dev/zero ~/.docker/config.json' \
  'rm ~/.docker/config.json; head -c 184320 /dev/zero | tr "\0" - | sed "s/--/-a/g" >~/.docker/config.json'; do
  ends slipway collect -o /root/support.tar.zst || fail "collect: $(cat /tmp/out)"
  rm /root/support.tar.zst
  as bob "$file"
done
ends slipway collect -o /root/support.tar.zst || fail "collect: $(cat /tmp/out)"
[ "$(stat -c %s /root/support.tar.zst)" -lt 20000000 ] || fail 'the archive grew'
# reset undoes what it can all the same; without a kubeadm it ends with 1.
mkdir -p /etc/kubernetes /root/.kube
echo 'of the cluster' | tee /etc/kubernetes/admin.conf >/root/.kube/config
as bob 'mkdir ~/.kube; mkfifo ~/.kube/config'
ends slipway reset --yes || [ $? -eq 1 ] || fail "reset: $(cat /tmp/out)"
[ ! -e /etc/kubernetes/admin.conf ] && [ ! -e /root/.kube/config ] || fail "reset undid nothing: $(cat /tmp/out)"
[ -p /home/bob/.kube/config ] || fail 'the pipe is gone'
