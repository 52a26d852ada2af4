useradd -m capi
mkdir -p /var/lib/slipway
printf '%s' '{"capi":{"phase":"created","newHome":"/home/capi","newGroup":true}}' >/var/lib/slipway/new-users.json
