# A TPM as its maker ships it: RSA endorsement key with a certificate.
make_tpm --create-ek-cert --create-platform-cert --lock-nvram
start_tpm
tpm2_pcrextend 4:sha256=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff

identity --output json >/tmp/found.json
is "$(identity | head -1 | cut -c1-20)" 'TPM              IBM'

tpm2_createek -Q -G rsa -f pem -u /tmp/ek.pem -c /tmp/ek.ctx
is "$(field endorsementKey </tmp/found.json)" "$(key_id /tmp/ek.pem)"
is "$(field algorithm </tmp/found.json)" 'RSA 2048'
forget

tpm2_nvread -Q -C o 0x1c00002 -o /tmp/certificate.der
field certificate.pem </tmp/found.json >/tmp/certificate.pem
is "$(openssl x509 -in /tmp/certificate.pem -outform DER | sha256sum)" \
  "$(openssl x509 -inform DER -in /tmp/certificate.der -outform DER | sha256sum)"

for pcr in 0 4 7 15; do
  value=$(tpm2_pcrread "sha256:$pcr" | sed -n 's/.*0x//p' | tr A-F a-f)
  is "$(field "pcrs.sha256.$pcr" </tmp/found.json)" "$value"
done
