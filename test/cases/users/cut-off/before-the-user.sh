mkdir -p /var/lib/slipway
printf '%s' '{"capi":{"phase":"creating","newHome":"/home/capi","newGroup":true}}' >/var/lib/slipway/new-users.json
groupadd capi; mkdir /home/capi; touch /home/capi/.bashrc
