# A TPM whose maker certified the P-256 key: that one is used, for it is quick.
make_tpm --create-ek-cert
start_tpm
tpm2_createek -Q -G ecc -f pem -u /tmp/ek.pem -c /tmp/ek.ctx
forget
x=$(openssl pkey -pubin -in /tmp/ek.pem -outform DER | tail -c 64 | head -c 32 | od -An -tx1 | tr -d ' \n')
y=$(openssl pkey -pubin -in /tmp/ek.pem -outform DER | tail -c 32 | od -An -tx1 | tr -d ' \n')
swtpm_cert --type ek --allow-signing --tpm2 --ecc-x "$x" --ecc-y "$y" --ecc-curveid secp256r1 \
  --signkey "$TPM/ca/signkey.pem" --issuercert "$TPM/ca/issuercert.pem" --out-cert /tmp/ek.crt --days 100 \
  --tpm-manufacturer id:00001014 --tpm-model swtpm --tpm-version id:20191023 --tpm-spec-family 2.0 --tpm-spec-level 0 --tpm-spec-revision 164 --serial 7 >/tmp/cert.log
tpm2_nvdefine -Q 0x1c0000a -C o -s "$(stat -c %s /tmp/ek.crt)" -a 'ownerwrite|ownerread|authread|no_da'
tpm2_nvwrite -Q 0x1c0000a -C o -i /tmp/ek.crt

identity --output json >/tmp/found.json
is "$(field algorithm </tmp/found.json)" 'EC P-256'
is "$(field endorsementKey </tmp/found.json)" "$(key_id /tmp/ek.pem)"
is "$(field certificate.serial </tmp/found.json)" 07
