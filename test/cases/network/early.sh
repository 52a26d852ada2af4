# An image with the service, and a seed that asks for a second address: nobody has to be asked over the network for it.
systemctl unmask systemd-networkd.service systemd-networkd.socket 2>/dev/null
slipway install --service >/dev/null
seed=/var/lib/cloud/seed/nocloud
rm -rf $seed; mkdir -p $seed
printf 'instance-id: i-early\n' >$seed/meta-data
cat >$seed/user-data <<'END'
#cloud-config
runcmd:
- ip -o addr show dev eth0 >/run/seen
slipway: {kubeadm: none}
END
own=$(ip -o -4 addr show dev eth0 | awk '{print $4}')
cat >$seed/network-config <<END
version: 2
ethernets:
  eth0: {addresses: [$own, 192.0.2.77/24]}
END

# networkd takes its time, as on a busy machine: the bootstrap is there before it, and lets it start.
mkdir -p /etc/systemd/system/systemd-networkd.service.d
printf '[Service]\nExecStartPre=sleep 8\n' >/etc/systemd/system/systemd-networkd.service.d/slow.conf
