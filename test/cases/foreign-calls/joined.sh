# The machine is a node, and whoever waits for the sentinel is told.
exists /etc/kubernetes/kubelet.conf /var/lib/kubelet/pki/kubelet-client-current.pem
is "$(cat /run/cluster-api/bootstrap-success.complete)" success sentinel
