mkdir -p /etc/slipway && echo 'kubeadm: none' >/etc/slipway/node.yaml
/checkout/node_modules/.bin/node /checkout/src/slipway.ts bootstrap >&2
