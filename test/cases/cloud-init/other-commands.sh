# Nothing is added to what other commands print.
token=$(kubeadm token generate 2>/tmp/stderr)
has "$token" '^[a-z0-9]{6}\.[a-z0-9]{16}$' 'the new token'
is "$(cat /tmp/stderr)" '' 'standard error'

# A join with other arguments on a node that is one already: refused as kubeadm itself refuses it.
other=(join 10.99.0.1:6443 --token=abcdef.0123456789abcdef --discovery-token-unsafe-skip-ca-verification)
real=0; /usr/bin/kubeadm "${other[@]}" >/dev/null 2>&1 || real=$?
[ "$real" != 0 ] || fail 'the real kubeadm joins twice'
status "$real" kubeadm "${other[@]}" 2>/tmp/stderr
has "$(cat /tmp/stderr)" 'PortInUse|LeftoversFound'
