"""schemathesis must find the server error of a service that has one."""

import http.server
import json
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

DOCUMENT = {"openapi": "3.1.0", "info": {"title": "faulty", "version": "1"},
            "paths": {"/broken": {"get": {"responses": {"200": {"description": "never comes"}}}}}}


class Faulty(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        is_document = self.path == "/openapi.json"
        self.send_response(200 if is_document else 500)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(DOCUMENT if is_document else {}).encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Faulty)
threading.Thread(target=server.serve_forever, daemon=True).start()
program = Path(sys.executable).parent / "schemathesis"
document = f"http://127.0.0.1:{server.server_port}/openapi.json"
with tempfile.TemporaryDirectory() as folder:  # it keeps notes where it runs
    tried = subprocess.run([program, "run", "--checks=not_a_server_error", document], capture_output=True, text=True, cwd=folder)
print(tried.stdout, tried.stderr)
assert tried.returncode == 1 and "Server error" in tried.stdout
