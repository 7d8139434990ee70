/* The bytes of a rank's payload file: what the rank received, hashes of what it sent, and what else its
 * program does not determine, so that it can be run again alone. C11 and C++20; docs/formats/payload.md is
 * the text for other implementers.
 *
 * What it must do
 *   - Append only, by one thread: a file cut anywhere is readable up to the cut.
 *   - A result that several ranks of a host share is in one of their files, under its content's name.
 *   - A result is found by what it is a result of (communicator, number, partner), never by its place.
 *
 * The idea
 *   A head, then entries. Each entry says its length, and a checksum vouches for it; of a blob only the fixed
 * part is summed, because its name is the hash of its content.
 *
 *       0     lockstep_payload_file
 *       64    [entry][body] [entry][body] [entry][body] ...      each at a multiple of 8 bytes
 *
 * Large contents lie beside it in a file of their own, each at a multiple of 4096 bytes, so that they can go
 * to the disk without passing through the page cache: an entry says where, after they are there.
 *
 * Recordings of a window of steps are such pairs of files one after the other, the *parts* of a rank: part 0
 * is how it began, later ones are removed when they are too old.
 */
#ifndef LOCKSTEP_PAYLOAD_FORMAT_H
#define LOCKSTEP_PAYLOAD_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lockstep/record_format.h"

#define LOCKSTEP_PAYLOAD_FOLDER "payload" /* of a recording */
#define LOCKSTEP_PAYLOAD_FILE_PATTERN "rank_%05d.restart_%u.payload"
#define LOCKSTEP_PAYLOAD_FILE_EXTENSION ".payload"
#define LOCKSTEP_PAYLOAD_BLOBS_EXTENSION ".blobs"
#define LOCKSTEP_PAYLOAD_PART_MARK ".part_" /* and the number, before either extension; none: part 0 */
#define LOCKSTEP_PAYLOAD_BLOB_ALIGNMENT 4096u

#define LOCKSTEP_PAYLOAD_FILE_MAGIC "\x89LKPAY\r\n"
struct lockstep_payload_file {
  char magic[8];
  uint32_t version;    /* LOCKSTEP_FORMAT_VERSION */
  uint32_t byte_order; /* LOCKSTEP_BYTE_ORDER */
  int32_t rank;
  int32_t world_size; /* -1: unknown */
  uint32_t restart;
  uint32_t part;
  uint64_t first_step; /* steps that had ended when the part began */
  uint64_t reserved[2];
  uint64_t check; /* lockstep_words_check over everything before it, sequence 0 */
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_payload_file) == 64, "the head is 64 bytes");

#define LOCKSTEP_PAYLOAD_ENTRY_MAGIC 0x4C504B4Cu /* the bytes "LKPL" */

/* Readers pass over types they do not know. */
enum lockstep_payload_type {
  LOCKSTEP_PAYLOAD_BLOB = 1,
  LOCKSTEP_PAYLOAD_CALL = 2,
  LOCKSTEP_PAYLOAD_RESULT = 3,
  LOCKSTEP_PAYLOAD_STATE = 4,
  LOCKSTEP_PAYLOAD_STATE_NAMES = 5,
  LOCKSTEP_PAYLOAD_PROCESS = 6,
  LOCKSTEP_PAYLOAD_COMMUNICATOR = 7,
  LOCKSTEP_PAYLOAD_STOPPED = 8,
  LOCKSTEP_PAYLOAD_PLACED_BLOB = 9,
  LOCKSTEP_PAYLOAD_CHECKPOINT = 10,
  LOCKSTEP_PAYLOAD_ENTROPY = 11,
};

struct lockstep_payload_entry {
  uint32_t magic;
  uint16_t type;
  uint16_t reserved;
  uint64_t bytes; /* of the body, which follows and is zero-padded to a multiple of 8 */
  uint64_t
      check; /* lockstep_words_check of the padded body (of a blob: of its fixed part), sequence = bytes */
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_payload_entry) == 24, "an entry's head is 24 bytes");

/* A hash is a canonical XXH3-128: big-endian, as it is printed. */
struct lockstep_payload_blob {
  uint8_t hash[16]; /* of the bytes that follow */
  uint64_t bytes;
  uint64_t encoding; /* 0: as they are */
};

/* Content in the file of blobs of the same part. */
struct lockstep_payload_placed_blob {
  uint8_t hash[16];
  uint64_t bytes;
  uint64_t offset; /* a multiple of LOCKSTEP_PAYLOAD_BLOB_ALIGNMENT */
};

/* A communicator as calls name it: XXH3-64 of its name and its members. */
struct lockstep_payload_communicator {
  uint64_t communicator;
  uint32_t member_count; /* of int32 global ranks, which follow; 0: not known */
  uint32_t name_bytes;   /* then the name */
};

/* What a call was given. */
struct lockstep_payload_call {
  uint64_t communicator;
  uint64_t sequence;
  uint64_t step; /* steps that had ended when it was issued */
  int32_t peer;  /* -1: none or any */
  uint8_t operation;
  uint8_t flags; /* LOCKSTEP_PAYLOAD_... */
  uint16_t input_count;
  uint64_t input_bytes;
  uint8_t input_hash[16]; /* of all inputs as if they were one, or a device's sum of them */
};
LOCKSTEP_STATIC_ASSERT(sizeof(struct lockstep_payload_call) == 56, "a call is 56 bytes");

#define LOCKSTEP_PAYLOAD_HAS_INPUT 1u
#define LOCKSTEP_PAYLOAD_FAILED 2u   /* a result: the call raised `error` */
#define LOCKSTEP_PAYLOAD_NOT_KEPT 4u /* the bytes are not kept: on a device, or payload had stopped */
#define LOCKSTEP_PAYLOAD_BETWEEN_STEPS \
  8u /* a call: before the first step began, or after one had ended and before the next began */
#define LOCKSTEP_PAYLOAD_DEVICE_SUM 16u /* a call: the hash is a device's sum */

/* What it gave back. */
struct lockstep_payload_result {
  uint64_t communicator;
  uint64_t sequence;
  int32_t peer;
  uint8_t operation;
  uint8_t flags;
  uint16_t output_count; /* of lockstep_payload_output, which follow */
  int32_t source;        /* of a receive from anybody: who it was, as a rank of the communicator; else -1 */
  uint32_t error_bytes;  /* of text, behind the outputs */
};
struct lockstep_payload_output {
  uint8_t hash[16];
  uint64_t bytes;
};

/* A step ended. XXH3-64 of each piece of state follows, in the order of the names. */
struct lockstep_payload_state {
  uint64_t step;
  uint64_t names; /* XXH3-64 of the text of STATE_NAMES that belongs to it; 0: no state */
  uint64_t count;
};
/* Names, one to a line. */
struct lockstep_payload_state_names {
  uint64_t names;
  uint64_t bytes;
};

/* How the process was started. The texts follow: arguments and environment with a zero behind each. */
struct lockstep_payload_process {
  uint32_t arguments_bytes;
  uint32_t environment_bytes;
  uint32_t folder_bytes;  /* the working folder */
  uint32_t program_bytes; /* the file that ran */
};

/* From here on no bytes are kept, only hashes: the last step that can be replayed has ended. */
struct lockstep_payload_stopped {
  uint64_t step;
  int64_t error; /* an errno; 0: the disk could not follow */
};

/* The job saved its state when so many steps had ended: where, follows. */
struct lockstep_payload_checkpoint {
  uint64_t step;
  uint64_t path_bytes;
};

/* Random bytes that the process took from the system at once; they follow. */
struct lockstep_payload_entropy {
  uint32_t bytes;
  uint32_t is_main_thread; /* 0: by another thread than the first */
};

/* ---- reading ------------------------------------------------------------------------------------------ */

/* Offset of the first entry, or 0 when this is no payload file. */
static inline uint64_t lockstep_payload_begin(const void* file, uint64_t file_bytes) {
  struct lockstep_payload_file head;
  if (file_bytes < sizeof head) return 0;
  memcpy(&head, file, sizeof head);
  if (memcmp(head.magic, LOCKSTEP_PAYLOAD_FILE_MAGIC, sizeof head.magic) != 0) return 0;
  if (head.version != LOCKSTEP_FORMAT_VERSION || head.byte_order != LOCKSTEP_BYTE_ORDER) return 0;
  return lockstep_words_check(&head, sizeof head / 8 - 1, 0) == head.check ? sizeof head : 0;
}

static inline uint64_t lockstep_payload_padded(uint64_t bytes) {
  return (bytes + 7) / 8 * 8;
}

/* How much of a body its entry's checksum covers. */
static inline uint64_t lockstep_payload_checked(uint16_t type, uint64_t bytes) {
  return type == LOCKSTEP_PAYLOAD_BLOB ? sizeof(struct lockstep_payload_blob)
                                       : lockstep_payload_padded(bytes);
}

/* The whole entry at `offset`: its head, with the body right behind it. Where the next one begins is in
 * `next`. Null at the end of the file and at the first entry that is not whole. */
static inline const struct lockstep_payload_entry* lockstep_payload_entry_at(const void* file,
                                                                             uint64_t file_bytes,
                                                                             uint64_t offset,
                                                                             uint64_t* next) {
  const struct lockstep_payload_entry* entry;
  uint64_t left;
  if (offset % 8 != 0 || offset > file_bytes || file_bytes - offset < sizeof *entry) return NULL;
  entry = (const struct lockstep_payload_entry*)((const char*)file + offset);
  left = file_bytes - offset - sizeof *entry;
  if (entry->magic != LOCKSTEP_PAYLOAD_ENTRY_MAGIC || entry->bytes > left ||
      left - entry->bytes < (8 - entry->bytes % 8) % 8)
    return NULL;
  if (entry->type == LOCKSTEP_PAYLOAD_BLOB) {
    const struct lockstep_payload_blob* blob = (const struct lockstep_payload_blob*)(entry + 1);
    if (entry->bytes < sizeof *blob || entry->bytes - sizeof *blob != blob->bytes) return NULL;
  }
  if (lockstep_words_check(entry + 1, lockstep_payload_checked(entry->type, entry->bytes) / 8,
                           entry->bytes) != entry->check)
    return NULL;
  *next = offset + sizeof *entry + lockstep_payload_padded(entry->bytes);
  return entry;
}

/* The body of an entry as its structure, or null when it is shorter, tails included. */
static inline const struct lockstep_payload_call* lockstep_payload_as_call(
    const struct lockstep_payload_entry* entry) {
  return entry->type == LOCKSTEP_PAYLOAD_CALL && entry->bytes >= sizeof(struct lockstep_payload_call)
             ? (const struct lockstep_payload_call*)(entry + 1)
             : NULL;
}
static inline const struct lockstep_payload_result* lockstep_payload_as_result(
    const struct lockstep_payload_entry* entry) {
  const struct lockstep_payload_result* result = (const struct lockstep_payload_result*)(entry + 1);
  if (entry->type != LOCKSTEP_PAYLOAD_RESULT || entry->bytes < sizeof *result) return NULL;
  return entry->bytes - sizeof *result >=
                 sizeof(struct lockstep_payload_output) * (uint64_t)result->output_count + result->error_bytes
             ? result
             : NULL;
}
static inline const struct lockstep_payload_output* lockstep_payload_outputs(
    const struct lockstep_payload_result* result) {
  return (const struct lockstep_payload_output*)(result + 1);
}
static inline const char* lockstep_payload_error(const struct lockstep_payload_result* result) {
  return (const char*)(lockstep_payload_outputs(result) + result->output_count);
}
static inline const struct lockstep_payload_state* lockstep_payload_as_state(
    const struct lockstep_payload_entry* entry) {
  const struct lockstep_payload_state* state = (const struct lockstep_payload_state*)(entry + 1);
  if (entry->type != LOCKSTEP_PAYLOAD_STATE || entry->bytes < sizeof *state) return NULL;
  return (entry->bytes - sizeof *state) / 8 >= state->count ? state : NULL;
}

static inline const struct lockstep_payload_entropy* lockstep_payload_as_entropy(
    const struct lockstep_payload_entry* entry) {
  const struct lockstep_payload_entropy* entropy = (const struct lockstep_payload_entropy*)(entry + 1);
  if (entry->type != LOCKSTEP_PAYLOAD_ENTROPY || entry->bytes < sizeof *entropy) return NULL;
  return entry->bytes - sizeof *entropy >= entropy->bytes ? entropy : NULL;
}

static inline const struct lockstep_payload_placed_blob* lockstep_payload_as_placed_blob(
    const struct lockstep_payload_entry* entry) {
  return entry->type == LOCKSTEP_PAYLOAD_PLACED_BLOB &&
                 entry->bytes >= sizeof(struct lockstep_payload_placed_blob)
             ? (const struct lockstep_payload_placed_blob*)(entry + 1)
             : NULL;
}

#endif
