"""Answers whatever is asked on port 8080 with bytes that never end."""
import http.server

class Endless(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        while True:
            self.wfile.write(b'x' * 65536)

http.server.HTTPServer(('127.0.0.1', 8080), Endless).serve_forever()
