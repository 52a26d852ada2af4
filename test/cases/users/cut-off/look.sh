cut -d: -f1,2 /etc/shadow | grep capi; ls -A /home/capi; ls /var/lib/slipway
