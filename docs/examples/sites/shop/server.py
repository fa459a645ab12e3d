"""Serves a lamp shop with an order form on the given port: `python3 server.py 8000`.

Port 0 means any free port. Orders are kept in memory only.
"""

import json
import sys
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

LAMPS = {"amber": 24, "basil": 31, "coral": 18, "delta": 40}
ORDERS = []


def page(title, body):
    return f"<!DOCTYPE html><html lang=en><title>{title}</title><h1>{title}</h1>{body}".encode()


def start():
    lamps = "".join(f"<tr><td>{name}</td><td>${price}</td></tr>" for name, price in LAMPS.items())
    options = "".join(f"<option>{name}</option>" for name in LAMPS)
    return page(
        "Lamp shop",
        f"<table><tr><th>Lamp</th><th>Price</th></tr>{lamps}</table><form method=post action=/order>"
        f"<label>Lamp <select name=lamp>{options}</select></label>"
        "<label>Number <input name=number type=number value=1 min=1></label>"
        "<label>Your name <input name=name required></label><button>Order</button></form>",
    )


class Shop(BaseHTTPRequestHandler):
    def answer(self, status, kind, body, place=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if place:
            self.send_header("Location", place)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/":
            self.answer(200, "text/html; charset=utf-8", start())
        elif self.path == "/thanks" and ORDERS:
            order = ORDERS[-1]
            total = LAMPS[order["lamp"]] * order["number"]
            words = f"{order['number']} × {order['lamp']} for {escape(order['name'])}: ${total}"
            self.answer(200, "text/html; charset=utf-8", page("Thank you", f"<p id=order>{words}</p><a href=/>Go on</a>"))
        elif self.path == "/orders.json":
            self.answer(200, "application/json", json.dumps(ORDERS).encode())
        else:
            self.answer(404, "text/plain", b"there is no such page")

    def do_POST(self):
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        fields = {name: values[0] for name, values in sent.items()}
        if self.path != "/order" or fields.get("lamp") not in LAMPS or not fields.get("number", "").isdigit():
            return self.answer(400, "text/plain", b"this is no order")
        ORDERS.append({"lamp": fields["lamp"], "number": int(fields["number"]), "name": fields.get("name", "")})
        self.answer(303, "text/plain", b"ordered", "/thanks")

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop)
print(f"The shop is at http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
