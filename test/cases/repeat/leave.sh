# leave.sh NAME: it leaves etcd and the cluster while its member still counts. `kubeadm reset` ends with 0 too where it was in time
# for nothing (a busy machine), and of two members one alone has no majority any more.
pki=/etc/kubernetes/pki/etcd
export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=https://127.0.0.1:2379 ETCDCTL_CACERT=$pki/ca.crt \
  ETCDCTL_CERT=$pki/healthcheck-client.crt ETCDCTL_KEY=$pki/healthcheck-client.key
left() {
  local list id
  list=$(etcdctl member list) || return
  id=$(awk -F', ' -v name="$1" '$3 == name {print $1}' <<<"$list")
  # An answer may be lost, so what counts is the list.
  [ -z "$id" ] || { etcdctl member remove "$id"; return 1; }
}
until_ok left "$1"
until_ok kubectl --kubeconfig /etc/kubernetes/admin.conf delete node "$1" --ignore-not-found
