mkdir -p /etc/slipway && echo 'kubeadm: none' >/etc/slipway/node.yaml
/checkout/dist/slipway-linux-x64 bootstrap >&2
