# What Slipway's own code makes, tpm2-tools accept, and the other way round; for $KIND: rsa or ecc.
kind=$KIND
[ "$kind" = ecc ] && ours=ec scheme=ecdsa || ours=rsa scheme=rsassa
interop() { /opt/node-bin/node /checkout/test/cases/identity/interop.ts "$1" "$ours"; }
opened() { cat /tmp/opened; }

make_tpm --create-ek-cert
start_tpm
printf 'a nonce of 32 bytes, used once..' >/tmp/nonce
registers=sha256:0,1,4,7

interop quote
tpm2_checkquote -Q -u /tmp/ak.pem -m /tmp/quoted -s /tmp/signature -g sha256 -q "$(od -An -tx1 /tmp/nonce | tr -d ' \n')"
status 1 tpm2_checkquote -Q -u /tmp/ak.pem -m /tmp/quoted -s /tmp/signature -g sha256 -q 00ff 2>/dev/null

tpm2_createek -Q -G $kind -u /tmp/their-ek.pub -c /tmp/their-ek.ctx
tpm2_createak -Q -C /tmp/their-ek.ctx -G $kind -g sha256 -s $scheme -u /tmp/their-ak.pub -c /tmp/their-ak.ctx
forget
tpm2_quote -Q -c /tmp/their-ak.ctx -l $registers -q "$(od -An -tx1 /tmp/nonce | tr -d ' \n')" \
  -m /tmp/their-quoted -s /tmp/their-signature -g sha256
tpm2_pcrread $registers | sed -n 's/.*0x//p' >/tmp/their-values
interop check
has "$(cat /tmp/said)" '^resets [0-9]+$'

interop make
forget
endorsed() { tpm2_startauthsession -Q --policy-session -S /tmp/session; tpm2_policysecret -Q -S /tmp/session -c e; }
endorsed
is "$(tpm2_activatecredential -c /tmp/their-ak.ctx -C /tmp/their-ek.ctx -i /tmp/credential -o /tmp/theirs -P session:/tmp/session >/dev/null && cat /tmp/theirs)" \
  'made by slipway'
tpm2_flushcontext /tmp/session
forget

interop keys
printf 'made by tpm2-tools' >/tmp/secret
tpm2_makecredential -Q -T none -u /tmp/ek.pub -s /tmp/secret -n "$(cat /tmp/ak.name)" -o /tmp/their-credential
interop activate
is "$(opened)" 'made by tpm2-tools'

interop seal
interop unseal
is "$(opened)" 'twelve secrets'
forget
interop parts
endorsed
tpm2_import -Q -C /tmp/their-ek.ctx -P session:/tmp/session -u /tmp/sealed.pub -i /tmp/sealed.duplicate -s /tmp/sealed.seed -r /tmp/sealed.private
tpm2_flushcontext /tmp/session
endorsed
tpm2_load -Q -C /tmp/their-ek.ctx -P session:/tmp/session -u /tmp/sealed.pub -r /tmp/sealed.private -c /tmp/sealed.ctx
tpm2_flushcontext /tmp/session
forget
is "$(tpm2_unseal -c /tmp/sealed.ctx -p pcr:$registers)" 'twelve secrets'
forget
interop tampered
is "$(opened)" TamperedError
tpm2_pcrextend 4:sha256=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
status 1 interop unseal 2>/tmp/refused
has "$(cat /tmp/refused)" 'the current state does not match its policy'
interop logs
for log in recorded made; do
  is "$(tpm2_eventlog /tmp/$log.log | sed -n '/^pcrs:/,$p' | sed -n '/sha256:/,$s/^ *\([0-9]*\) *: 0x/\1 /p')" "$(cat /tmp/$log.pcrs)"
done
is "$(tpm2_getcap handles-transient; tpm2_getcap handles-loaded-session)" ''
