exists /root/registry/all-asked
gone /root/registry/alone
# kubeadm has pulled nothing that it was to find.
has_no "$(cat /var/lib/slipway/journal.jsonl)" 'could not be pulled ahead'
# By containerd's own list: for a moment its CRI knows an image by its name alone.
for name in etcd kube-apiserver kube-controller-manager kube-scheduler kube-proxy; do
  has "$(ctr --namespace k8s.io images ls -q)" "/$name:"
done
