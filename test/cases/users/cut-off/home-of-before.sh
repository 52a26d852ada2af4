mkdir /home/capi; touch /home/capi/precious; useradd -m capi
mkdir -p /var/lib/slipway
printf '%s' '{"capi":{"phase":"creating","newGroup":true}}' >/var/lib/slipway/new-users.json
