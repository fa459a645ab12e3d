"""Serves "library" at every path, or redirects to another server, and prints its address.
Arguments: scheme, other server.
"""

import http.server
import ssl
import sys

scheme, other = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if other:
            self.send_response(302)
            self.send_header("Location", other + self.path)
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"library\n")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
if scheme == "https":
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(f"{scheme}://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
