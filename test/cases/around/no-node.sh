gone /etc/kubernetes/kubelet.conf /etc/kubernetes/pki/ca.crt /var/lib/kubelet/config.yaml \
  /run/cluster-api/bootstrap-success.complete /etc/kubernetes/manifests/beside.yaml /run/slipway/outcome.json
pods=$(crictl pods)
has_no "$pods" beside- 'the list of pods'
told=$(slipway status)
has "$told" '^reset: ' 'slipway status'
again=$(slipway reset --yes --output json)
has "$again" '"kubeadm": ?"not needed"' 'a second reset'
