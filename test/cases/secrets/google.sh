# Objects of Google Cloud Storage that Ignition names, by the service account of the instance: who has no token gets nothing.
ip addr add 169.254.169.254/32 dev lo
mkdir /tmp/tls
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=gs -keyout /tmp/tls/key -out /tmp/tls/ca 2>/tmp/tls/made \
  -addext 'subjectAltName=DNS:storage.googleapis.com'
echo '127.0.0.1 storage.googleapis.com' >>/etc/hosts
# What shows that the machine is one of Google Compute Engine.
mount -t tmpfs tmpfs /sys
mkdir -p /sys/class/dmi/id
echo 'Google Compute Engine' >/sys/class/dmi/id/product_name
cat >/tmp/google.py <<'END_OF_PYTHON'
import http.server, json, ssl, threading, urllib.parse
TOKEN = 'planted-token-9'
CONFIG = {'ignition': {'version': '3.4.0'}, 'storage': {'files': [{'path': '/etc/merged', 'contents': {'source': 'data:,planted-merged-7'}}]}}
OBJECTS = {('private', 'dir/a b~.txt'): b'second', ('private', 'config.ign'): json.dumps(CONFIG).encode(), ('private', 'image'): bytes(range(256)) * 40000}
class Answers(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body):
        self.send_response(status)
        self.send_header('metadata-flavor', 'Google')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
class Metadata(Answers):
    def do_GET(self):
        path, _, query = self.path.partition('?')
        asked = path == '/computeMetadata/v1/instance/service-accounts/default/token' and 'devstorage.read_only' in query
        if not asked or self.headers.get('metadata-flavor') != 'Google':
            return self.answer(403, b'')
        self.answer(200, json.dumps({'access_token': open('/tmp/token').read(), 'expires_in': 3000, 'token_type': 'Bearer'}).encode())
class Storage(Answers):
    def do_GET(self):
        path, _, query = self.path.partition('?')
        parts = path.split('/')
        if self.headers.get('authorization') != f'Bearer {TOKEN}':
            return self.answer(403, b'')
        if len(parts) != 7 or parts[:4] != ['', 'storage', 'v1', 'b'] or parts[5] != 'o' or query != 'alt=media':
            return self.answer(400, b'')
        body = OBJECTS.get((parts[4], urllib.parse.unquote(parts[6])))
        self.answer(404 if body is None else 200, body or b'')
open('/tmp/token', 'w').write(TOKEN)
storage = http.server.ThreadingHTTPServer(('127.0.0.1', 443), Storage)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain('/tmp/tls/ca', '/tmp/tls/key')
storage.socket = context.wrap_socket(storage.socket, server_side=True)
threading.Thread(target=storage.serve_forever).start()
http.server.ThreadingHTTPServer(('169.254.169.254', 80), Metadata).serve_forever()
END_OF_PYTHON
python3 /tmp/google.py >/tmp/google 2>&1 &
until_ok curl -s http://169.254.169.254/
SUM=$(python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 40000)' | sha512sum | cut -d' ' -f1)
# ignition SOURCE: it as /etc/1
ignition() {
  printf '{"ignition": {"version": "3.4.0", "config": {"merge": [{"source": "gs://private/config.ign"}]}, "security": {"tls": {"certificateAuthorities": [
    {"source": "data:;base64,%s"}]}}}, "storage": {"files": [{"path": "/etc/1", "overwrite": true, "contents": {"source": "%s"}},
    {"path": "/etc/image", "overwrite": true, "contents": {"source": "gs://private/image", "verification": {"hash": "sha512-%s"}}}]}}' \
    "$(base64 -w0 /tmp/tls/ca)" "$1" "$SUM" >/tmp/user-data
}
ignition 'gs://private/dir/a%20b~.txt'
bootstrap --deadline 300
is "$code" 0 "$(cat /tmp/out) $(tail -5 /tmp/google)"
is "$(cat /etc/1)" second
is "$(sha512sum </etc/image | cut -d' ' -f1)" "$SUM"
file /etc/merged 644 planted-merged-7

# Nobody else's token opens it, nor does none.
printf other >/tmp/token
bootstrap --deadline 60
is "$code" 2 "$(cat /tmp/out)"
has "$(cat /tmp/out)" 'merge.0.source was refused: cannot fetch https://storage.googleapis.com/storage/v1/b/private/o/config.ign: the server returned status 403'
