seed=/var/lib/cloud/seed/nocloud
before=$(cat /etc/systemd/network/10-slipway-*)
sed -i 's/i-served/i-second/' /tmp/served/meta-data

sed 's|198.51.100.5/24|198.51.100.555/24|' /tmp/network-config >$seed/network-config
told=$(slipway bootstrap 2>&1) && fail 'a wrong address was taken'
has "$told" 'line 6, column 17: ethernets.lan: addresses must be of the form'
is "$(cat /etc/systemd/network/10-slipway-*)" "$before" 'the files'
has "$(ip -o addr show dev lan0)" '198\.51\.100\.5/24'

# A card that is not there takes the address away that there was: everything is put back.
sed 's|aa:bb:01|aa:bb:99|; s|100.5/24|100.6/24|; s|:5::5|:5::6|; /ens10:/,$d' /tmp/network-config >$seed/network-config
status 75 slipway bootstrap
is "$(cat /etc/systemd/network/10-slipway-*)" "$before" 'the files'
until_ok ip route get 198.51.100.1
has "$(ip -o addr show dev lan0)" '198\.51\.100\.5/24'

# The image's own word counts more than the seed's.
mkdir -p /etc/cloud/cloud.cfg.d
echo 'network: {config: disabled}' >/etc/cloud/cloud.cfg.d/99-network.cfg
told=$(slipway bootstrap 2>&1) || fail "$told"
has "$told" '/etc/cloud/cloud.cfg.d/99-network.cfg disables network configuration'
is "$(wc -l </run/told)" 2
rm /etc/cloud/cloud.cfg.d/99-network.cfg
