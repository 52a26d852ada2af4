# Each way in which a TPM does not prove anything has its own code, and nothing is left in the TPM.
fails_with() {
  status=0
  identity --output json >/tmp/refused.json || status=$?
  is "$status $(field code </tmp/refused.json)" "1 $1"
}

is "$(identity 2>&1 | head -1)" "slipway: there is no $TPM/socket (TpmAbsent)"

make_tpm --create-ek-cert
start_tpm
identity >/dev/null
is "$(tpm2_getcap handles-transient; tpm2_getcap handles-loaded-session)" ''

# Another TPM's certificate.
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=other -days 9 -outform DER -out /tmp/other.crt -keyout /tmp/other.key 2>/dev/null
openssl ecparam -name prime256v1 -genkey -noout -out /tmp/ec.key
openssl req -x509 -key /tmp/ec.key -subj /CN=other -days 9 -outform DER -out /tmp/ec.crt
tpm2_nvdefine -Q 0x1c0000a -C o -s "$(stat -c %s /tmp/ec.crt)" -a 'ownerwrite|ownerread|authread|no_da'
tpm2_nvwrite -Q 0x1c0000a -C o -i /tmp/ec.crt
fails_with EndorsementKeyMismatch
tpm2_nvundefine -Q 0x1c0000a -C o

tpm2_changeauth -c endorsement secret
fails_with TpmPasswordSet
tpm2_changeauth -c endorsement -p secret

# Wrong passwords for somebody's key lock the TPM; three are too many for this one.
tpm2_createprimary -Q -C o -G ecc -p right -c /tmp/primary.ctx
forget
for attempt in 1 2 3; do
  tpm2_create -Q -C /tmp/primary.ctx -P wrong -u /tmp/pub -r /tmp/priv 2>/tmp/attempt && exit 1
  forget
done
fails_with TpmLockedOut
tpm2_dictionarylockout -c
identity >/dev/null

# What answers there is no TPM.
kill "$(cat $TPM/pid)"
until_ok test ! -e $TPM/pid
rm -f $TPM/socket
socat UNIX-LISTEN:$TPM/socket SYSTEM:'echo this is no TPM at all' &
until_ok test -S $TPM/socket
fails_with TpmFailed
