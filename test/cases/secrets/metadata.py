"""EC2's metadata service, version 2, before moto, which has version 1: nothing without a token that was got by PUT."""
import http.server
import urllib.request

TOKEN = 'token-of-the-case'


class Metadata(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        lives = self.headers.get('x-aws-ec2-metadata-token-ttl-seconds')
        self.answer(200 if self.path == '/latest/api/token' and lives else 400, TOKEN.encode())

    def do_GET(self):
        if self.headers.get('x-aws-ec2-metadata-token') != TOKEN:
            self.answer(401, b'')
        else:
            self.answer(200, urllib.request.urlopen(f'http://127.0.0.1:5000{self.path}').read())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)


http.server.ThreadingHTTPServer(('169.254.169.254', 80), Metadata).serve_forever()
