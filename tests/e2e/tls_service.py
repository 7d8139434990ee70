"""A service that others reach over TLS, with a certificate of its own."""

import json
import os
import re
import socket
import ssl
import subprocess

from service_client import LOCKSTEP, LONG_S, Service, lockstep, wait_until


class TlsService(Service):
    def __init__(self, folder):
        super().__init__(folder)
        self.certificate = folder.parent / "cert.pem"
        self.key = folder.parent / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", self.key,
                        "-out", self.certificate], check=True, capture_output=True)

    def start(self, environ=None):
        said = self.folder.parent / "said"
        self.process = subprocess.Popen([LOCKSTEP, "serve", "--state", self.folder, "--listen", "127.0.0.1:0", "--tls-cert", self.certificate,
                                         "--tls-key", self.key], stdin=subprocess.DEVNULL, stderr=said.open("wb"),
                                        env=os.environ | (environ or {}))
        self.port = int(wait_until(lambda: re.search(r"https://127.0.0.1:(\d+)", said.read_text()), "it listens").group(1))
        self.url = f"https://127.0.0.1:{self.port}"
        return self

    def token(self, owner, *words):
        made = lockstep(self.folder, "serve", "--make-token", owner, *words)
        assert made.returncode == 0, made.stderr
        file = self.folder.parent / f"{owner}.token"
        file.write_text(made.stdout)
        return made.stdout.strip(), re.search(r"tok_\w+", made.stderr).group(), file

    def connect(self):
        context = ssl.create_default_context(cafile=self.certificate)
        return context.wrap_socket(socket.create_connection(("127.0.0.1", self.port), timeout=LONG_S), server_hostname="127.0.0.1")

    def ask(self, method, path, token=None, body=b"", head=b""):
        """Status and JSON of one request, sent as raw bytes."""
        who = f"Authorization: Bearer {token}\r\n" if token else ""
        length = "" if b"Content-Length" in head else f"Content-Length: {len(body)}\r\n"
        with self.connect() as one:
            try:
                one.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{who}{length}".encode() + head + b"\r\n" + body)
            except OSError:
                pass  # refused before all of it was sent
            answer = read_to_end(one)
        head, _, text = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(text) if text else None, head.decode()

    def client(self, file, *words):
        return lockstep(self.folder.parent / "nowhere", words[0], *words[1:], "--service", self.url, "--token-file", str(file), "--tls-ca",
                        str(self.certificate))


def read_to_end(one):
    answer = b""
    while True:
        try:
            piece = one.recv(65536)
        except ssl.SSLEOFError:
            return answer
        if not piece:
            return answer
        answer += piece
