/usr/bin/kubeadm reset --force
real=0; /usr/bin/kubeadm join --no-such-flag >/dev/null 2>&1 || real=$?
[ "$real" != 0 ] || fail 'the real kubeadm takes --no-such-flag'
status "$real" kubeadm join --no-such-flag 2>/tmp/stderr
has "$(cat /tmp/stderr)" no-such-flag
kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml
exists /etc/kubernetes/kubelet.conf # a join after a reset really joins
