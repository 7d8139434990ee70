"""What real PyTorch chooses on hosts of the lab. The framework is imported once; every question is asked by a child that
enters the host. Reads {"gloo"|"store": [[pid, ...]]} and prints the answers as JSON under the same names."""

import datetime
import json
import os
import sys
import tempfile

import torch.distributed

from on_host import on_host
from own_sockets import connected_addresses, listening_addresses


def gloo(environment: dict) -> str:
    os.environ.update(environment)
    with tempfile.NamedTemporaryFile() as store:
        try:
            torch.distributed.init_process_group("gloo", init_method=f"file://{store.name}", rank=0, world_size=1)
        except Exception as error:
            return "refused: " + str(error).splitlines()[0]
        return listening_addresses()[0]


def store(master: str, patience_s: float) -> str:
    """Where the client of a store connects when it is told to look for this name; the store is on this very host."""
    server = torch.distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    before = connected_addresses(server.port)
    try:
        client = torch.distributed.TCPStore(master, server.port, is_master=False, wait_for_workers=False,
                                            timeout=datetime.timedelta(seconds=patience_s))
    except Exception:
        return "refused"
    found = connected_addresses(server.port)
    for address in before:
        found.remove(address)
    client.set("key", "value")
    return found[0]


ASKED = {"gloo": gloo, "store": store}
questions = json.load(sys.stdin)
print(json.dumps({name: [on_host(pid, ASKED[name], *words) for pid, *words in asked]
                  for name, asked in questions.items()}))
