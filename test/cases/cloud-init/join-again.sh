/usr/bin/kubeadm reset --force
real=0; /usr/bin/kubeadm join --no-such-flag >/dev/null 2>&1 || real=$?
[ "$real" != 0 ] || fail 'the real kubeadm takes --no-such-flag'
status "$real" kubeadm join --no-such-flag 2>/tmp/stderr
has "$(cat /tmp/stderr)" no-such-flag
kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml
exists /etc/kubernetes/kubelet.conf # a join after a reset really joins

# The same through the shim, which takes back what was said of the node. Neither help nor a question without an answer does.
sentinel=/run/cluster-api/bootstrap-success.complete
mkdir -p "${sentinel%/*}" && echo success >"$sentinel"
kubeadm reset --force --help >/dev/null
kubeadm reset </dev/null >/dev/null 2>&1 || true
exists "$sentinel"
kubeadm reset --force
gone "$sentinel" /run/slipway/outcome.json
has "$(tail -1 /var/lib/slipway/journal.jsonl)" '"node.reset"'
kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml
exists /etc/kubernetes/kubelet.conf
