sysctl -qw net.ipv4.ip_forward=0
told=$(slipway preflight --mend)
has "$told" '^mended: net.ipv4.ip_forward'
is "$(sysctl -n net.ipv4.ip_forward)" 1 'net.ipv4.ip_forward'
is "$(cat /etc/sysctl.d/90-slipway.conf)" 'net.ipv4.ip_forward = 1' 'the file for later boots'
