has "$(journalctl -b -o cat -u slipway-network)" 'written for networkd: eth0 .*192\.0\.2\.77/24'
has "$(cat /run/seen)" '192\.0\.2\.77/24'
has "$(journalctl -b -o cat -u slipway)" 'waiting for .*192\.0\.2\.77/24.*: the network is still starting'
is "$(systemctl is-active slipway-network systemd-networkd)" $'active\nactive'
has "$(journalctl -b -o cat -u slipway)" 'networkd: eth0 .*192\.0\.2\.77/24, as it was'

# Each begins when the one before has ended.
moment() { systemctl show -P "$2" "$1"; }
written=$(moment slipway-network ExecMainExitTimestampMonotonic)
started=$(moment systemd-networkd ExecMainStartTimestampMonotonic)
bootstrap=$(moment slipway ExecMainStartTimestampMonotonic)
((written > 0 && written < started)) || fail "written at $written, networkd started at $started"
((written < bootstrap)) || fail "written at $written, the bootstrap began at $bootstrap"
