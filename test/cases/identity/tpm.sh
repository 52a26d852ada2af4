# A software TPM for the scripts of this case: state and socket in $TPM, certificates by an authority of its own in $TPM/ca.

install -m 755 /opt/dist/slipway-linux-x64 /usr/local/bin/slipway
install -m 755 /opt/dist/slipway-controller-linux-x64 /usr/local/bin/slipway-controller

export TPM=/run/tpm
# tpm2-tools speak to the same socket, one program after the other.
export TPM2TOOLS_TCTI="cmd:socat - UNIX-CONNECT:$TPM/socket"

make_tpm() {
  mkdir -p "$TPM/state" "$TPM/ca"
  cat >"$TPM/localca.conf" <<END
statedir=$TPM/ca
signingkey=$TPM/ca/signkey.pem
issuercert=$TPM/ca/issuercert.pem
certserial=$TPM/ca/certserial
END
  cat >"$TPM/setup.conf" <<END
create_certs_tool=/usr/bin/swtpm_localca
create_certs_tool_config=$TPM/localca.conf
create_certs_tool_options=/etc/swtpm-localca.options
END
  swtpm_setup --tpm2 --tpmstate "$TPM/state" --config "$TPM/setup.conf" --logfile "$TPM/setup.log" "$@"
}

start_tpm() {
  swtpm socket --tpm2 --tpmstate dir="$TPM/state" --server type=unixio,path="$TPM/socket" \
    --ctrl type=unixio,path="$TPM/control" --flags not-need-init,startup-clear --daemon --pid file="$TPM/pid"
}

identity() { slipway identity --tpm "$TPM/socket" "$@"; }

# One field of `slipway identity --output json`; the root has no jq.
field() { python3 -c 'import json,sys
value = json.load(sys.stdin)
for key in sys.argv[1].split("."): value = value[key]
print(value)' "$1"; }

key_id() { printf 'sha256:%s\n' "$(openssl pkey -pubin -in "$1" -outform DER | sha256sum | cut -d' ' -f1)"; }

# The kernel drops what a program left in the TPM; a socket has no such helper.
forget() { tpm2_flushcontext -t; tpm2_flushcontext -l; }
