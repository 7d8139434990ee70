"""JSON, pickles, YAML and texts with something in them that their writers never write."""

import gzip
import json
import random
import re
import zlib

NUMBERS = (0, -1, 1, 2**31 - 1, 2**31, -2**31, 2**32, 2**53, 2**63 - 1, 2**63, -2**63, 2**64, 10**30, 1e308, -0.0, 0.5)
TEXTS = ("", "x", "\x00", "a\x1b[2Jb", "\u202e", "\ud800", "é" * 300, "x" * 70000, "-1", "99999999999999999999", "0x",
         "[0, 1", "../../../etc/passwd", "<script>", "%s%n", "{}", "null", "127.0.0.1:99999", "\n\n")


def places_in(value, found=None):
    """(container, key) of everything below the value."""
    found = [] if found is None else found
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(items):
        found.append((value, key))
        if len(found) < 20000:
            places_in(child, found)
    return found


def odd_value(old, rng: random.Random):
    choice = rng.randrange(8)
    if choice == 0:
        return rng.choice((None, True, False, [], {}, [[]], {"": {}}))
    if choice == 1:
        return rng.choice(TEXTS)
    if choice == 2 and isinstance(old, str) and old:
        at = rng.randrange(len(old))
        return old[:at] + rng.choice(TEXTS) + old[at + rng.randrange(3):]
    if choice == 3:
        return [old] * rng.choice((0, 2, 50))
    if choice == 4:
        return {"x": old}
    if choice == 5:
        for _ in range(rng.choice((3, 70))):
            old = [old]
        return old
    return rng.choice(NUMBERS)


def mutate_json(original: bytes, rng: random.Random) -> bytes:
    try:
        value = json.loads(original)
    except (ValueError, RecursionError):
        return mutate_text(original, rng)
    places = places_in(value)
    if not places or rng.randrange(8) == 0:
        return mutate_bytes(original, rng)
    for _ in range(rng.choice((1, 1, 2, 4))):
        container, key = rng.choice(places)
        choice = rng.randrange(6)
        try:
            if choice == 0:
                del container[key]
            elif choice == 1 and isinstance(container, list):
                container.insert(key, rng.choice(container))
            elif choice == 2 and isinstance(container, dict):
                container[rng.choice(TEXTS)] = container[key]
            elif choice == 3:
                other, place = rng.choice(places)
                container[key] = json.loads(json.dumps(other[place]))
            else:
                container[key] = odd_value(container[key], rng)
        except (KeyError, IndexError, RecursionError):
            continue  # another change took it away
    text = json.dumps(value, indent=rng.choice((None, None, 1)))
    if rng.randrange(6) == 0:  # a member twice
        text = re.sub(r'("[^"]{1,40}": ?-?\d+)', r"\1, \1", text, count=1)
    if rng.randrange(12) == 0:
        text = text[:rng.randrange(len(text) + 1)]
    return text.encode("utf-8", "surrogatepass")


def mutate_bytes(original: bytes, rng: random.Random) -> bytes:
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(data) + 1)
        choice = rng.randrange(6)
        if choice == 0:
            del data[at:at + rng.choice((1, 2, 8, 100))]
        elif choice == 1:
            data[at:at] = rng.choice((b"\0", b"\xff", b"\n", bytes(64), rng.randbytes(rng.randrange(1, 32))))
        elif choice == 2:
            data[at:at] = data[at:at + rng.choice((1, 8, 200, 3000))]
        elif choice == 3:
            del data[at:]
        elif at < len(data):
            data[at] = rng.choice((0, 0xFF, 0x7F, 0x80, data[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
    return bytes(data)


def mutate_text(original: bytes, rng: random.Random) -> bytes:
    lines = original.splitlines(keepends=True) or [b""]
    for _ in range(rng.choice((1, 2, 4))):
        at = rng.randrange(len(lines))
        choice = rng.randrange(9)
        if choice == 0:
            del lines[at:at + rng.choice((1, 1, 5))]
        elif choice == 1:
            lines.insert(at, rng.choice(lines))
        elif choice == 2:
            numbers = list(re.finditer(rb"\d+", lines[at]))
            if numbers:
                number = rng.choice(numbers)
                new = str(rng.choice(NUMBERS)).encode()
                lines[at] = lines[at][:number.start()] + new + lines[at][number.end():]
        elif choice == 3:
            lines[at] = lines[at].rstrip(b"\n")
        elif choice == 4:
            lines[at] = lines[at].replace(b" ", rng.choice((b"\t", b"", b"\0", b"\r", b"\x1b[31m")))
        elif choice == 5:
            lines[at] = rng.choice(TEXTS).encode("utf-8", "surrogatepass") + lines[at]
        elif choice == 6:
            lines[at] = lines[at] * rng.choice((2, 100, 2000)) if len(lines[at]) < 200 else lines[at][::-1]
        elif choice == 7:
            lines[at:at] = [b" " * rng.choice((1, 80)) + lines[at]]
        else:
            return mutate_bytes(b"".join(lines), rng)
        lines = lines or [b""]
    return b"".join(lines)


def mutate_gzip(original: bytes, rng: random.Random, mutate) -> bytes:
    try:
        content = gzip.decompress(original) if rng.randrange(3) else b""
    except (EOFError, OSError, zlib.error):
        content = b""  # a seed that is damaged itself
    return gzip.compress(mutate(content, rng), 1) if content else mutate_bytes(original, rng)
