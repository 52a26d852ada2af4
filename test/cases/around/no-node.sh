gone /etc/kubernetes/kubelet.conf /etc/kubernetes/pki/ca.crt /var/lib/kubelet/config.yaml \
  /run/cluster-api/bootstrap-success.complete /etc/kubernetes/manifests/beside.yaml /run/slipway/outcome.json
# A sandbox that the kubelet was just making when it was stopped containerd takes back by itself, a moment later.
none_left() { [ -z "$(containers_of "beside-$(hostname)")" ]; }
until_ok none_left
told=$(slipway status)
has "$told" '^reset: ' 'slipway status'
again=$(slipway reset --yes --output json)
has "$again" '"kubeadm": ?"not needed"' 'a second reset'
