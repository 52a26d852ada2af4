until_ok sh -c 'cloud-init status | grep -q done'
is "$(cat /run/cluster-api/bootstrap-success.complete)" success 'the sentinel'
is "$(cat /var/tmp/version)" "$KUBERNETES_VERSION" 'what another kubeadm command printed'
exists /var/tmp/after # made by the command after kubeadm
log=$(cat /var/log/cloud-init-output.log)
has_no "$log" "${TOKEN/./\\.}" cloud-init-output.log
