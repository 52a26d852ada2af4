"""Serves /srv/release on port 8080, and promises one byte more of the program than it sends."""
import http.server
import os

class Cut(http.server.SimpleHTTPRequestHandler):
    def send_header(self, keyword, value):
        if keyword == 'Content-Length' and 'linux-' in self.path:
            value = str(int(value) + 1)
        super().send_header(keyword, value)

os.chdir('/srv/release')
http.server.HTTPServer(('127.0.0.1', 8080), Cut).serve_forever()
