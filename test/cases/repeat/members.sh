# members.sh NAME...: each is a member of etcd once, and marked as a control plane.
pki=/etc/kubernetes/pki/etcd
list=$(ETCDCTL_API=3 etcdctl --endpoints=https://127.0.0.1:2379 --cacert=$pki/ca.crt --cert=$pki/healthcheck-client.crt \
  --key=$pki/healthcheck-client.key member list)
is "$(awk -F', ' '{print $3 == "" ? "unstarted" : $3}' <<<"$list" | sort)" "$(printf '%s\n' "$@")" 'the members of etcd'
for name; do has "$(kubectl --kubeconfig /etc/kubernetes/admin.conf get node "$name")" control-plane; done
