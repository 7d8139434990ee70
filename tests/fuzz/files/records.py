"""Record files and payload with one thing wrong in them and every checksum right, so that it is believed."""

import random
import struct

MASK = (1 << 64) - 1
CHECK_FACTOR = 0x9E3779B97F4A7C15
SEQUENCE_FACTOR = 0xD1B54A32D192ED03
RECORD_MAGIC = b"\x89LKSTP\r\n"
PAYLOAD_MAGIC = b"\x89LKPAY\r\n"
CHUNK_MAGIC = 0x4B4E554843534B4C
PAYLOAD_BLOB = 1

# Numbers at which signs, sizes and bounds change.
EDGES = (0, 1, 2, 3, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0xFFFFF, 0x100000, 0x7FFFFFFF,
         0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 1 << 40, (1 << 62) - 1, (1 << 63) - 1, 1 << 63, MASK - 1, MASK)


def words_check(data: bytes, sequence: int) -> int:
    total = (sequence + 1) * SEQUENCE_FACTOR
    factor = CHECK_FACTOR
    for (word,) in struct.iter_unpack("<Q", data[:len(data) // 8 * 8]):
        total += word * factor
        factor += 2 * CHECK_FACTOR
    return total & MASK


def record_head(record: bytes, length: int, kind: int, sequence: int) -> int:
    low = length | kind << 16 | 0xA5 << 24
    body = words_check(record[8:length], sequence)
    return low | ((body + low * SEQUENCE_FACTOR) & MASK) >> 32 << 32


def change_number(data: bytearray, begin: int, end: int, rng: random.Random) -> None:
    """One field of 1, 2, 4 or 8 bytes at its own alignment."""
    size = rng.choice((1, 2, 4, 4, 8, 8))
    if end - begin < size:
        return
    at = begin + rng.randrange((end - begin) // size) * size
    old = int.from_bytes(data[at:at + size], "little")
    new = rng.choice((rng.choice(EDGES), old + 1, old - 1, old ^ 1 << rng.randrange(8 * size), rng.getrandbits(64)))
    data[at:at + size] = (new & (1 << 8 * size) - 1).to_bytes(size, "little")


def put_header_check(data: bytearray) -> None:
    struct.pack_into("<Q", data, 240, words_check(bytes(data[:240]), 0))


def records_in(data: bytes, begin: int, end: int):
    """(offset, length, type) of each record from `begin` on."""
    while begin + 8 <= end:
        (head,) = struct.unpack_from("<Q", data, begin)
        length = head & 0xFFFF
        if head == 0 or length < 8 or length % 8 or begin + length > end:
            return
        yield begin, length, head >> 16 & 0xFF
        begin += length


def chunks_in(data: bytes):
    header_bytes, _, chunk_bytes = struct.unpack_from("<III", data, 12)
    if not 4096 <= chunk_bytes <= 1 << 20:
        return
    for at in range(header_bytes, len(data) - 63, chunk_bytes):
        if struct.unpack_from("<Q", data, at)[0] == CHUNK_MAGIC:
            yield at, min(at + chunk_bytes, len(data))


def as_rank(original: bytes, rank: int) -> bytes:
    data = bytearray(original)
    struct.pack_into("<i", data, 200, rank)
    put_header_check(data)
    return bytes(data)


def mutate_record_file(original: bytes, rng: random.Random) -> bytes:
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 3, 10, 30))):
        choice = rng.randrange(24)
        chunks = list(chunks_in(data))
        if choice == 0 or not chunks:
            change_number(data, 8, 240, rng)
            put_header_check(data)
            continue
        at, end = rng.choice(chunks)
        (sequence,) = struct.unpack_from("<Q", data, at + 8)
        if choice == 1:
            change_number(data, at + 8, at + 56, rng)
            struct.pack_into("<Q", data, at + 56, words_check(bytes(data[at:at + 56]), 0))
            (sequence,) = struct.unpack_from("<Q", data, at + 8)
            touched = list(records_in(data, at + 64, end))
        else:
            found = list(records_in(data, at + 64, end))
            if not found:
                continue
            offset, length, kind = rng.choice(found)
            if choice == 2:  # another kind of record of the same bytes
                kind = rng.choice((rng.randrange(1, 40), rng.randrange(1, 255)))
            elif choice == 3 and len(found) > 1:  # one in the place of another
                other, other_length, other_kind = rng.choice(found)
                if other_length <= end - offset:
                    data[offset:offset + other_length] = data[other:other + other_length]
                    length, kind = other_length, other_kind
            elif length > 8:
                change_number(data, offset + 8, offset + length, rng)
            touched = [(offset, length, kind)]
        for offset, length, kind in touched:
            struct.pack_into("<Q", data, offset, record_head(bytes(data[offset:offset + length]), length, kind, sequence))
    if rng.randrange(12) == 0:
        del data[rng.randrange(len(data)):]
    return bytes(data)


PAYLOAD_HEAD_BYTES = 64


def entries_in(data: bytes):
    """(offset, type, bytes) of each entry of a payload file."""
    at = PAYLOAD_HEAD_BYTES
    while at + 24 <= len(data):
        magic, kind, _, size, _ = struct.unpack_from("<IHHQQ", data, at)
        if magic != 0x4C504B4C or size > len(data) - at - 24:
            return
        yield at, kind, size
        at += 24 + (size + 7) // 8 * 8


def mutate_payload(original: bytes, rng: random.Random) -> bytes:
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 2, 5))):
        entries = list(entries_in(data))
        if rng.randrange(8) == 0 or not entries:
            change_number(data, 8, PAYLOAD_HEAD_BYTES - 8, rng)
            struct.pack_into("<Q", data, PAYLOAD_HEAD_BYTES - 8, words_check(bytes(data[:PAYLOAD_HEAD_BYTES - 8]), 0))
            continue
        at, kind, size = rng.choice(entries)
        if rng.randrange(8) == 0:
            kind = rng.randrange(16)
            struct.pack_into("<H", data, at + 4, kind)
        elif size:
            change_number(data, at + 24, at + 24 + min(size, 256), rng)
        checked = 32 if kind == PAYLOAD_BLOB else (size + 7) // 8 * 8
        struct.pack_into("<Q", data, at + 16, words_check(bytes(data[at + 24:at + 24 + checked]), size))
    if rng.randrange(12) == 0:
        del data[rng.randrange(len(data)):]
    return bytes(data)
