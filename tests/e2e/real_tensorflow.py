"""Where real TensorFlow listens and connects on hosts of the lab. Reads [[pid, peer, {environment}]], answers as JSON with
[listens, connected]: the addresses at its own port, and the one at which its peer, or the proxy, was asked."""

import json
import os
import socket
import sys
import threading

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from on_host import on_host
from own_sockets import listening_addresses

PEER, PROXY, OWN = 7001, 7002, 7003


def first_asked() -> tuple[list[str], threading.Event]:
    """Will hold the address at which a connection comes in first; "proxy" at the proxy's port."""
    sockets = [socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) for port in (PEER, PROXY)]
    found, is_found = [], threading.Event()

    def wait(server, is_proxy):
        connection, _ = server.accept()
        found.append("proxy" if is_proxy else connection.getsockname()[0].removeprefix("::ffff:"))
        is_found.set()

    for server, is_proxy in zip(sockets, (False, True)):
        threading.Thread(target=wait, args=(server, is_proxy), daemon=True).start()
    return found, is_found


def ask(peer: str, environment: dict) -> list:
    os.environ.update(environment)
    found, is_found = first_asked()
    cluster = tf.train.ClusterSpec({"worker": [f"127.0.0.1:{OWN}", f"{peer}:{PEER}"]})
    server = tf.distribute.Server(cluster, job_name="worker", task_index=0)
    listens = listening_addresses(OWN)

    def reach_the_peer():
        with tf.Graph().as_default(), tf.device("/job:worker/task:1"):
            tf.compat.v1.Session(server.target).run(tf.constant(1))

    threading.Thread(target=reach_the_peer, daemon=True).start()
    is_found.wait(60)
    return [listens, found[0] if found else None]


print(json.dumps([on_host(pid, ask, *words) for pid, *words in json.load(sys.stdin)]))
