"""Answers on port 8080 as the first argument says; what it leaves alone comes from /srv/release."""
import http.server
import os
import ssl
import sys
import time

MODE = sys.argv[1]
RELEASE = '/srv/release'


class Hostile(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if MODE == 'endless':
            self.endless(65536, 0)
        elif MODE == 'endless-program' and 'linux-' in self.path:
            self.endless(1 << 20, 0)
        elif MODE == 'drip':
            # Faster than what curl takes for a line that is dead.
            self.endless(1500, 1)
        elif MODE == 'html' and 'linux-' in self.path or MODE == 'portal':
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'<html>Please log in</html>\n' * 1000)
        elif MODE == 'to-file':
            self.redirect(f'file://{RELEASE}{self.path}')
        elif MODE == 'to-ftp':
            self.redirect(f'ftp://127.0.0.1:8080{self.path}')
        elif MODE == 'to-http' and self.server.server_port == 8443:
            self.redirect(f'http://127.0.0.1:8080{self.path}')
        else:
            super().do_GET()

    def endless(self, size, pause):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b'x' * size)
            time.sleep(pause)

    def redirect(self, to):
        self.send_response(302)
        self.send_header('location', to)
        self.end_headers()


os.chdir(RELEASE)
if MODE == 'to-http' and os.fork() == 0:
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 8443), Hostile)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain('/var/tmp/tls.crt', '/var/tmp/tls.key')
    server.socket = context.wrap_socket(server.socket, server_side=True)
else:
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 8080), Hostile)
server.serve_forever()
