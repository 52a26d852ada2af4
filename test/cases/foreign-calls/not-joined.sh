gone /var/lib/kubelet/pki/kubelet-client-current.pem /run/cluster-api/bootstrap-success.complete
