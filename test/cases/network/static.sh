# The lab's own cable is out; another one leads to a server, and has neither an address nor its name.
ip link set eth0 down
ip addr flush dev eth0
systemctl unmask systemd-networkd.service systemd-networkd.socket >/dev/null
ip netns add far
ip link add ens9 address 52:54:00:aa:bb:01 type veth peer name far0 netns far
ip link add ens10 type veth peer name far1 netns far
ip -n far link set lo up
ip -n far link set far1 up
ip -n far addr add 198.51.100.1/24 dev far0
ip -n far link set far0 up
printf 'instance-id: i-served\n' >/tmp/served/meta-data
setsid nsenter --net=/run/netns/far perl /tmp/server.pl 198.51.100.1:80 /tmp/served >/dev/null 2>&1 &
until_ok test -e /tmp/served.ready

seed=/var/lib/cloud/seed/nocloud
rm -rf /var/lib/cloud/seed; mkdir -p $seed
: >$seed/user-data
printf 'seedfrom: http://198.51.100.1/\n' >$seed/meta-data
cp /tmp/network-config $seed/network-config

told=$(slipway bootstrap 2>&1) || fail "$told"
has "$told" 'the network is set up: networkd: lan 198.51.100.5/24'
is "$(cat /run/told)" 'came over the network'
addresses=$(ip -o addr show dev lan0)
has "$addresses" '198\.51\.100\.5/24'
has "$addresses" 'fd00:5::5/64'
has "$(ip -o addr show dev br7)" '192\.0\.2\.5/24'
has "$(ip route)" '203\.0\.113\.0/24 via 198\.51\.100\.1 dev lan0'
has "$(slipway status)" 'network'
has "$(slipway plan 2>&1)" 'set up the network: 3 interfaces'

# Again: nothing to do.
before=$(stat -c %Y.%i /etc/systemd/network/10-slipway-*)
told=$(slipway bootstrap 2>&1) || fail "$told"
is "$(stat -c %Y.%i /etc/systemd/network/10-slipway-*)" "$before" 'the files after another start'
is "$(wc -l </run/told)" 1
