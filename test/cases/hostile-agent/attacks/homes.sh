# links that a user swaps in a home lead root nowhere while bootstrap works there
user alice
mkdir -m 700 /root/victim
chmod 755 /root
as alice 'while [ ! -e /tmp/over ]; do rm -rf ~/.ssh; mkdir ~/.ssh; rm -rf ~/.ssh; ln -s /root/victim ~/.ssh; rm ~/.ssh; done' 2>/dev/null &
for round in $(seq 6); do
  cat >/tmp/user-data <<DATA
#cloud-config
$NO_NODE
users: [{name: alice, ssh_authorized_keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 key-$round"]}]
write_files: [{path: /home/alice/.ssh/config, owner: "alice:alice", content: "round $round", defer: true}]
DATA
  attempt /tmp/user-data
  [ "$(stat -c '%U %a' /root/victim)" = 'root 700' ] || fail "victim: $(stat -c '%U %a' /root/victim)"
  [ -z "$(ls -A /root/victim)" ] || fail "victim holds: $(ls -A /root/victim)"
done
touch /tmp/over
wait
