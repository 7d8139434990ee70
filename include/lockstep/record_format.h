/* The bytes of a rank's record file. C11 and C++20; the text for other implementers is
 * docs/formats/record.md.
 *
 * What it must do
 *   - One event costs the training job tens of nanoseconds: no lock, no allocation, no system call.
 *   - kill -9 at any instant leaves every event before that instant readable, and nothing that never
 * happened.
 *   - A file cut anywhere, zeroed or overwritten from anywhere on, is readable up to there.
 *   - A reader needs a buffer of one chunk, however long the file is.
 *   - Old readers skip what they do not know; the version is meant to stay 1 for ever.
 *
 * Numbers from real jobs
 *   A data-parallel step of a small model issues 5 to 20 collectives, a pipeline- and tensor-parallel one
 * some hundreds. At 10 steps a second and two records for each collective that is 100 to 10,000 records, or
 * 10 KB to 1 MB, a second and rank. Distinct names, shapes and stacks are a few hundred for a whole job.
 *
 * The idea
 *   The file is a header block and then chunks of equal size. A thread claims a chunk with one atomic
 * addition and fills it alone, so that writing an event is eight stores. Each record's first word is stored
 * last: a zero word means "nothing here yet", any other word vouches for the whole record, because half of it
 * is a checksum that also covers the chunk's number.
 *
 *       0        header block: identity, clock, live counters         (header_bytes long)
 *       +        chunk 1   [chunk header][record][record][record] 0 0 0 0
 *       +        chunk 2   [chunk header][record] 0 0 0 0 0 0 0 0 0 0 0
 *       +        ...       0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0     allocated, not claimed
 *
 *   Definitions (strings, communicators, shapes, stacks) have chunks of their own, so that a reader can take
 * them in first and then stream the events.
 *
 * Alternatives refused
 *   - A ring in memory that is dumped at a fault, as others do: the guilty rank is often the one that cannot
 * dump.
 *   - One atomic cursor for all threads: a locked addition for each event and threads sharing cache lines.
 *   - Variable-length encodings: a third of the size, several times the cost, and no record in one cache
 * line.
 *   - A length prefix without checksum: a page that never reached the disk would read as an event of zeros.
 */
#ifndef LOCKSTEP_RECORD_FORMAT_H
#define LOCKSTEP_RECORD_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lockstep/vocabulary.h"

#ifdef __cplusplus
#define LOCKSTEP_STATIC_ASSERT static_assert
#else
#define LOCKSTEP_STATIC_ASSERT _Static_assert
#endif

/* A recording is a folder: manifest.json, a file "incomplete" that is removed at a clean end, blobs/, and for
 * each process of the job one file named by its rank and restart count. */
#define LOCKSTEP_RANK_FILE_PATTERN "rank_%05d.restart_%u.lockstep" /* for printf */
#define LOCKSTEP_RANK_FILE_EXTENSION ".lockstep"

/* ---- header block
 * ------------------------------------------------------------------------------------------ */

/* The high bit and the line ends catch transfers that strip bits or translate text, as in PNG. */
#define LOCKSTEP_FILE_MAGIC "\x89LKSTP\r\n"
#define LOCKSTEP_FORMAT_VERSION 1u
#define LOCKSTEP_BYTE_ORDER 0x01020304u

struct lockstep_file_header {
  char magic[8];
  uint32_t version;
  uint32_t header_bytes;      /* where the first chunk begins */
  uint32_t byte_order;        /* LOCKSTEP_BYTE_ORDER as the writer stores it */
  uint32_t chunk_bytes;       /* a power of two, 4 KiB to 1 MiB */
  uint64_t features;          /* abilities a reader may ignore: LOCKSTEP_FEATURE_... */
  uint64_t required_features; /* abilities a reader must know or refuse the file; none defined yet */
  char job[64];               /* texts are UTF-8, zero-padded; full length means no closing zero */
  char host[64];
  char writer[32]; /* "lockstep 0.1.0" */
  int32_t rank;
  int32_t local_rank; /* -1: unknown */
  int32_t world_size; /* -1: unknown */
  uint32_t restart;   /* how often the launcher had restarted the job before this process */
  uint64_t pid;
  uint64_t monotonic_ns; /* one instant on the clock of the records ... */
  uint64_t wall_ns;      /* ... and the same instant since 1970, UTC */
  uint64_t check;        /* lockstep_words_check over everything before it, sequence 0 */
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_file_header) == 248, "the header is 248 bytes");

/* Chunks are used again when the file is full: their order is that of their numbers, not of their places. */
#define LOCKSTEP_FEATURE_RING 1u

/* Counters the writer changes in place while the job runs, so that they survive its death. */
#define LOCKSTEP_LIVE_OFFSET 2048u
struct lockstep_live_counters {
  uint64_t dropped;            /* events that found no room: full disk or size limit */
  uint64_t overwritten_chunks; /* in a ring: how often a chunk was used again */
};

/* ---- chunks
 * ------------------------------------------------------------------------------------------------ */

#define LOCKSTEP_CHUNK_MAGIC 0x4B4E554843534B4CULL /* the bytes "LKSCHUNK" */

enum lockstep_chunk_kind { LOCKSTEP_CHUNK_DEFINITIONS = 1, LOCKSTEP_CHUNK_EVENTS = 2 };

struct lockstep_chunk_header {
  uint64_t magic;
  uint64_t sequence; /* its place in the file, from 1; in a ring the how-manieth that was claimed */
  uint64_t claimed_ns;
  uint32_t kind;
  uint32_t thread; /* the operating system's number of the thread that claimed it */
  uint64_t reserved[3];
  uint64_t check; /* over everything before it, sequence 0; stored last */
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_chunk_header) == 64, "a chunk header is 64 bytes");

/* ---- records
 * ----------------------------------------------------------------------------------------------- */

/* Every record begins with this word, at a multiple of 8 bytes, and is a multiple of 8 bytes long:
 *   bits 0-15 length in bytes with the head, 16-23 type, 24-31 magic, 32-63 checksum. */
#define LOCKSTEP_RECORD_MAGIC 0xA5u

/* Type 0 does not exist. Readers skip types they do not know by their length, and count them. */
enum lockstep_record_type {
  LOCKSTEP_RECORD_CALL = 1,
  LOCKSTEP_RECORD_DONE = 2,
  LOCKSTEP_RECORD_ACTIVITY = 3,
  LOCKSTEP_RECORD_CHECKSUM = 4,
  LOCKSTEP_RECORD_BLOB = 5,
  LOCKSTEP_RECORD_CLOCK = 6,
  LOCKSTEP_RECORD_DROPPED = 7,
  LOCKSTEP_RECORD_THREAD = 8,
  LOCKSTEP_RECORD_END = 9,
  LOCKSTEP_RECORD_STRING = 32,
  LOCKSTEP_RECORD_COMMUNICATOR = 33,
  LOCKSTEP_RECORD_TENSORS = 34,
  LOCKSTEP_RECORD_STACK = 35,
  LOCKSTEP_RECORD_ATTRIBUTE = 36,
};

/* An operation was issued: a collective, a send or a receive. Times are nanoseconds on the header's clock;
 * names, communicators, tensors and stacks are ids of definitions, 0 = none. */
struct lockstep_call {
  uint64_t head;
  uint64_t time_ns;
  uint64_t
      sequence; /* collectives: per communicator; sends and receives: per communicator, peer and direction */
  uint32_t communicator;
  uint8_t operation; /* LOCKSTEP_OPERATIONS */
  uint8_t reduce_op; /* LOCKSTEP_REDUCE_OPS */
  uint8_t data_type; /* LOCKSTEP_DATA_TYPES, of the first tensor */
  uint8_t flags;     /* LOCKSTEP_CALL_... */
  int32_t peer;      /* root, source or destination as a rank of the communicator; -1: none */
  uint32_t name;
  uint64_t payload_bytes;
  uint32_t tensors;
  uint32_t stack;
  uint64_t stream; /* where it was queued, an opaque number; 0: none */
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_call) == 64, "a call is one cache line");

#define LOCKSTEP_CALL_ASYNC 1u    /* the caller did not wait for it */
#define LOCKSTEP_CALL_CAPTURED 2u /* captured into a graph, to run later */
#define LOCKSTEP_CALL_POSTED 4u   /* the rank goes on, and waits for it only from LOCKSTEP_DONE_STARTED on */

/* A call got further. The key is that of the call: communicator, sequence, operation and, for sends and
 * receives, peer. */
enum lockstep_done_status {
  LOCKSTEP_DONE_COMPLETED = 1,
  LOCKSTEP_DONE_STARTED = 2,
  LOCKSTEP_DONE_FAILED = 3
};
struct lockstep_done {
  uint64_t head;
  uint64_t time_ns;
  uint64_t sequence;
  uint32_t communicator;
  uint8_t operation;
  uint8_t status;
  uint16_t reserved;
  int32_t peer;
  uint32_t error; /* string: what the framework said, for LOCKSTEP_DONE_FAILED */
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_done) == 40, "a done record is 40 bytes");

/* Something around the collectives began, ended or happened. */
enum lockstep_phase { LOCKSTEP_PHASE_BEGIN = 1, LOCKSTEP_PHASE_END = 2, LOCKSTEP_PHASE_INSTANT = 3 };
struct lockstep_activity {
  uint64_t head;
  uint64_t time_ns;
  uint64_t number;  /* of the step, epoch, ... */
  uint8_t activity; /* LOCKSTEP_ACTIVITIES */
  uint8_t phase;
  uint16_t reserved;
  uint32_t name;
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_activity) == 32, "an activity is 32 bytes");

/* Checksums of what a call was given and what it gave back: XXH3-64 of the tensors' bytes. With operation 0
 * and no such call: of the state after step `sequence`, which the communicator's members must have alike;
 * input are its parameters, output its buffers. */
struct lockstep_checksum {
  uint64_t head;
  uint64_t sequence;
  uint32_t communicator;
  uint8_t operation;
  uint8_t has_input;
  uint8_t has_output;
  uint8_t reserved;
  int32_t peer;
  uint32_t reserved2;
  uint64_t input;
  uint64_t output;
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_checksum) == 48, "a checksum is 48 bytes");

/* Bytes kept outside the file, under blobs/ of the recording, in a file named by their content: XXH3-128 in
 * hex. */
enum lockstep_blob_role { LOCKSTEP_BLOB_INPUT = 1, LOCKSTEP_BLOB_OUTPUT = 2, LOCKSTEP_BLOB_STATE = 3 };
struct lockstep_blob {
  uint64_t head;
  uint64_t sequence;
  uint32_t communicator;
  uint8_t operation;
  uint8_t role;
  uint16_t index; /* of the tensor */
  int32_t peer;
  uint32_t name;
  uint64_t bytes;
  uint8_t hash[16]; /* canonical XXH3-128: big-endian, as it is printed */
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_blob) == 56, "a blob reference is 56 bytes");

/* The same instant on both clocks, taken again from time to time: wall clocks are adjusted. */
struct lockstep_clock {
  uint64_t head;
  uint64_t monotonic_ns;
  uint64_t wall_ns;
};

/* `count` records of this thread are missing here: there was no room for them. */
struct lockstep_dropped {
  uint64_t head;
  uint64_t time_ns;
  uint64_t count;
};

/* The records that follow in this chunk are another thread's. */
struct lockstep_thread {
  uint64_t head;
  uint32_t thread;
  uint32_t name;
};

/* The process said goodbye. Its absence means killed, crashed or still running. */
struct lockstep_end {
  uint64_t head;
  uint64_t time_ns;
  int32_t exit_status; /* -1: not known */
  uint32_t reserved;
  uint64_t chunks;        /* how many were claimed ... */
  uint64_t written_bytes; /* ... and how many bytes of records are in them at least: fewer in the file are a
                             loss */
};

/* Definitions. Ids count from 1 over all kinds together; a definition stands in the file before the first
 * event that uses it is written, but maybe in a later chunk. */
struct lockstep_string {
  uint64_t head;
  uint32_t id;
  uint32_t
      bytes; /* of text, which follows, zero-padded to a multiple of 8; UTF-8, no closing zero promised */
};

/* Members as runs first, first + step, ...: one run for nearly every communicator of any size. */
struct lockstep_rank_run {
  int32_t first;
  int32_t step;
  uint32_t count;
};
struct lockstep_communicator {
  uint64_t head;
  uint32_t id;
  uint32_t name;
  uint32_t description;
  uint32_t backend;
  uint32_t size;
  int32_t rank_in_it; /* -1: not known */
  uint32_t run_count; /* of lockstep_rank_run, which follow, in communicator order; 0: members not known */
  uint32_t reserved;
};

/* Shapes of a call's tensors: for each, inputs first, one lockstep_tensor followed by its dimensions, int64.
 */
struct lockstep_tensor {
  uint8_t data_type;
  uint8_t dimension_count;
  uint16_t reserved;
  uint32_t reserved2;
};
struct lockstep_tensors {
  uint64_t head;
  uint32_t id;
  uint16_t input_count;
  uint16_t output_count;
};

struct lockstep_frame {
  uint32_t function;
  uint32_t file;
  uint32_t line;
  uint32_t reserved;
};
struct lockstep_stack {
  uint64_t head;
  uint32_t id;
  uint32_t frame_count; /* of lockstep_frame, which follow, innermost first */
};

/* A fact about the process: versions, environment, device. */
struct lockstep_attribute {
  uint64_t head;
  uint32_t key;
  uint32_t value;
};

/* ---- checksums
 * --------------------------------------------------------------------------------------------- */

/* The sum of every word times an odd number that depends on its place: independent multiplications, so that
 * checking costs about a nanosecond for a call. */
#define LOCKSTEP_CHECK_FACTOR 0x9E3779B97F4A7C15ULL
#define LOCKSTEP_CHECK_SEQUENCE_FACTOR 0xD1B54A32D192ED03ULL

static inline uint64_t lockstep_words_check(const void* words, size_t count, uint64_t sequence) {
  uint64_t sum = (sequence + 1) * LOCKSTEP_CHECK_SEQUENCE_FACTOR;
  uint64_t factor = LOCKSTEP_CHECK_FACTOR;
  for (size_t i = 0; i < count; ++i) {
    uint64_t word;
    memcpy(&word, (const char*)words + 8 * i, 8);
    sum += word * factor;
    factor += 2 * LOCKSTEP_CHECK_FACTOR;
  }
  return sum;
}

/* The head that belongs to a record of `length` bytes in the chunk numbered `sequence`. */
static inline uint64_t lockstep_record_head(const void* record, uint16_t length, uint8_t type,
                                            uint64_t sequence) {
  const uint64_t low = (uint64_t)length | (uint64_t)type << 16 | (uint64_t)LOCKSTEP_RECORD_MAGIC << 24;
  const uint64_t body = lockstep_words_check((const char*)record + 8, length / 8 - 1u, sequence);
  const uint64_t check = (body + low * LOCKSTEP_CHECK_SEQUENCE_FACTOR) >> 32;
  return low | check << 32;
}

#endif
