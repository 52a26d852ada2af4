# The TPM before its machine: what an inventory notes when the hardware arrives.
mkdir -p /work/vm/tpm
swtpm socket --tpm2 --tpmstate dir=/work/vm/tpm --server type=unixio,path=/work/tpm.socket \
  --ctrl type=unixio,path=/work/tpm.control --flags not-need-init,startup-clear --daemon --pid file=/work/tpm.pid
/dist/slipway-linux-x64 identity --tpm /work/tpm.socket --output json >/work/identity.json
kill "$(cat /work/tpm.pid)"
while [ -e /work/tpm.pid ]; do sleep 0.1; done
