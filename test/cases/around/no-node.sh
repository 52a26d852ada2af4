gone /etc/kubernetes/kubelet.conf /etc/kubernetes/pki/ca.crt /var/lib/kubelet/config.yaml \
  /run/cluster-api/bootstrap-success.complete /etc/kubernetes/manifests/beside.yaml /run/slipway/outcome.json
is "$(containers_of "beside-$(hostname)")" '' 'what containerd has of the static pod'
told=$(slipway status)
has "$told" '^reset: ' 'slipway status'
again=$(slipway reset --yes --output json)
has "$again" '"kubeadm": ?"not needed"' 'a second reset'
