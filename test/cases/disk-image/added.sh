# What a user of the recipe adds; the root's folder is its argument.
install -D -m 755 /dev/stdin "$1/usr/bin/kubeadm" <<'KUBEADM'
#!/bin/sh
echo v1.31.4
KUBEADM
