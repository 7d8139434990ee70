/* How an adapter tells the recorder what a rank does. The recorder is liblockstep.so; this is all it exports.
 * C11 and C++; every structure can be filled from another language as it stands.
 *
 *   1. The library is loaded (LD_PRELOAD, or as a dependency of an adapter). It reads its settings from the
 *      environment (docs/recorder.md) and does nothing else.
 *   2. An adapter sees its framework start and says so: lockstep_start_rank. Only now a file is made, so
 *      launchers, shells and data loaders, which never come here, leave none.
 *   3. It defines what repeats (communicators, names, shapes, stacks) once and keeps the ids.
 *   4. Each operation: lockstep_begin_call when it is issued, lockstep_mark_call when it got further.
 *
 *     static uint32_t world;                                   // lockstep_define_communicator, once
 *     struct lockstep_call_facts facts = {0};
 *     struct lockstep_ticket ticket;
 *     facts.size = sizeof facts;
 *     facts.communicator = world;
 *     facts.peer = -1;
 *     facts.operation = LOCKSTEP_OPERATION_AllReduce;
 *     facts.reduce_op = LOCKSTEP_REDUCE_OP_Sum;
 *     facts.data_type = LOCKSTEP_DATA_TYPE_Float32;
 *     facts.payload_bytes = bytes;
 *     lockstep_begin_call(&facts, &ticket);
 *     int result = the_real_all_reduce(...);
 *     lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
 *     return result;
 *
 * Promises, for every function unless its own words say otherwise
 *   - From any thread, with or without an interpreter's lock, at any time from load to exit, also before
 *     lockstep_start_rank and in a forked child: then it does nothing and an id is 0.
 *   - Never blocks, prints, aborts, raises, changes errno, or calls the process's allocator. What finds no
 *     room is dropped and counted in the file.
 *   - Not from a signal handler that may have interrupted one of them: the inner call is dropped.
 *   - Texts are UTF-8, copied before the function returns, and need no closing zero where a length is given.
 *
 * Versions: structures begin with their size; members are only added at the end, functions only added. A
 * recorder treats members that a caller does not have as 0. Symbols below are stable since ABI 1. */
#ifndef LOCKSTEP_RECORDER_H
#define LOCKSTEP_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "lockstep/record_format.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LOCKSTEP_RECORDER_ABI 1u

#ifndef LOCKSTEP_API
#define LOCKSTEP_API __attribute__((visibility("default")))
#endif

/* The words of vocabulary.h as C constants: LOCKSTEP_OPERATION_AllReduce, LOCKSTEP_DATA_TYPE_Float32 ... */
#define LOCKSTEP_OPERATION_CONSTANT(Name, number, text) LOCKSTEP_OPERATION_##Name = number,
#define LOCKSTEP_REDUCE_OP_CONSTANT(Name, number, text) LOCKSTEP_REDUCE_OP_##Name = number,
#define LOCKSTEP_DATA_TYPE_CONSTANT(Name, number, text) LOCKSTEP_DATA_TYPE_##Name = number,
#define LOCKSTEP_ACTIVITY_CONSTANT(Name, number, text) LOCKSTEP_ACTIVITY_##Name = number,
enum lockstep_operation_number { LOCKSTEP_OPERATIONS(LOCKSTEP_OPERATION_CONSTANT) };
enum lockstep_reduce_op_number { LOCKSTEP_REDUCE_OPS(LOCKSTEP_REDUCE_OP_CONSTANT) };
enum lockstep_data_type_number { LOCKSTEP_DATA_TYPES(LOCKSTEP_DATA_TYPE_CONSTANT) };
enum lockstep_activity_number { LOCKSTEP_ACTIVITIES(LOCKSTEP_ACTIVITY_CONSTANT) };
#undef LOCKSTEP_OPERATION_CONSTANT
#undef LOCKSTEP_REDUCE_OP_CONSTANT
#undef LOCKSTEP_DATA_TYPE_CONSTANT
#undef LOCKSTEP_ACTIVITY_CONSTANT

/* ---- start and end ------------------------------------------------------------------------------------ */

/* The ABI of the library that is loaded. An adapter that needs more than it offers does nothing. */
LOCKSTEP_API uint32_t lockstep_recorder_abi(void);

/* Who this process is, as far as the adapter knows; -1 (or a null text) leaves it to the environment. */
struct lockstep_rank_facts {
  uint32_t size;
  int32_t rank;
  int32_t local_rank;
  int32_t world_size;
  int32_t restart;
  uint32_t reserved;
  const char* framework; /* "torch", "tensorflow", "keras", "horovod" or "mpi"; closing zero needed */
  const char* version;   /* of the framework; closing zero needed */
};

/* This process is a rank: begin its record file. Call it when the framework's communication starts
 * (MPI_Init, init_process_group), not at import.
 * Returns 0 when the process is being recorded, also when it was already (the framework is still noted);
 * otherwise an errno, and nothing is recorded: ECANCELED recording was not asked for, ENOENT neither the
 * adapter nor the environment know the rank, or what kept the file from being made.
 * May take milliseconds: it makes a file. */
LOCKSTEP_API int lockstep_start_rank(const struct lockstep_rank_facts* facts);

/* This process has another rank now, or the same in another life of the job, as in elastic training: its
 * record file ends and one with these facts begins. Tell rank, world size and restart: the environment still
 * says what held at the start. Threads that are inside the recorder meanwhile write to the old file. Returns
 * as lockstep_start_rank does; with an error nothing is recorded any more. */
LOCKSTEP_API int lockstep_restart_rank(const struct lockstep_rank_facts* facts);

/* Nonzero while events of this process are kept. Two loads: ask before collecting facts that cost. Ids belong
 * to one recording: a forked child that starts its own, and a rank that starts again, get another number
 * here, and must define anew. */
LOCKSTEP_API int lockstep_is_recording(void);

/* A goodbye with the exit status, or -1 when it is not known. Only where a process ends in a way that skips
 * exit handlers (MPI_Abort, os._exit); a plain exit is seen by the library itself. Events of other threads
 * that come later are still kept. The first goodbye counts. */
LOCKSTEP_API void lockstep_end_rank(int32_t exit_status);

/* A fact about the process, such as a version or the device it uses. */
LOCKSTEP_API void lockstep_set_attribute(const char* key, size_t key_bytes, const char* value,
                                         size_t value_bytes);

/* Nanoseconds on the clock of the records (CLOCK_MONOTONIC). */
LOCKSTEP_API uint64_t lockstep_now_ns(void);

/* ---- definitions -------------------------------------------------------------------------------------- */
/* Equal definitions get the same id, for as long as the process lives. 0: there was no room, or nothing is
 * recorded; 0 may be used wherever an id is asked for. A known one costs about 20 ns; keep ids anyway. */

LOCKSTEP_API uint32_t lockstep_intern_string(const char* text, size_t bytes);

/* A communicator is the same on two ranks when name and members are: choose a name that all members agree on
 * without asking each other (the framework's own, or the parent's with the number of the creating call). */
struct lockstep_communicator_facts {
  uint32_t size;
  uint32_t member_count;  /* how many ranks it has */
  const int32_t* members; /* their global ranks in communicator order; null: not known */
  int32_t rank_in_it;     /* -1: not known */
  uint32_t reserved;
  const char* name; /* texts need a closing zero; null: none */
  const char* description;
  const char* backend; /* "nccl", "gloo", "mpi" ... */
};
LOCKSTEP_API uint32_t lockstep_define_communicator(const struct lockstep_communicator_facts* facts);

/* One tensor of a call. */
struct lockstep_tensor_facts {
  uint32_t data_type; /* LOCKSTEP_DATA_TYPE_... */
  uint32_t dimension_count;
  const int64_t* dimensions;
};
/* The shapes of a call: `input_count` inputs, then `output_count` outputs. */
LOCKSTEP_API uint32_t lockstep_intern_tensors(const struct lockstep_tensor_facts* tensors,
                                              uint16_t input_count, uint16_t output_count);

/* A stack, innermost frame first; function and file are ids of strings. Walking a stack costs far more than
 * an event, so ask lockstep_wants_stack before each: it says yes to the first calls of each thread and then
 * to one in LOCKSTEP_STACK_INTERVAL (default 16, 1: each, 0: none). */
LOCKSTEP_API int lockstep_wants_stack(void);
struct lockstep_frame_facts {
  uint32_t function;
  uint32_t file;
  uint32_t line;
};
LOCKSTEP_API uint32_t lockstep_intern_stack(const struct lockstep_frame_facts* frames, uint32_t frame_count);

/* ---- calls -------------------------------------------------------------------------------------------- */

/* One collective, send or receive. */
struct lockstep_call_facts {
  uint32_t size;
  uint32_t communicator; /* id; a call without one is not recorded */
  /* The number of this call among those of the communicator (collectives) or of communicator, peer and
   * direction (sends and receives), equal on all who meet in it. 0: the recorder counts, from 1, in the order
   * in which lockstep_begin_call is called. Do not mix both ways in one communicator. */
  uint64_t sequence;
  uint64_t time_ns;  /* 0: now */
  uint8_t operation; /* LOCKSTEP_OPERATION_... */
  uint8_t reduce_op; /* LOCKSTEP_REDUCE_OP_... */
  uint8_t data_type; /* LOCKSTEP_DATA_TYPE_..., of the first tensor */
  uint8_t flags;     /* LOCKSTEP_CALL_ASYNC, LOCKSTEP_CALL_CAPTURED, LOCKSTEP_CALL_POSTED */
  int32_t
      peer; /* root, source or destination as a rank of the communicator; -1: none or any. Always set it */
  uint32_t name;    /* id: of the tensor or of the framework's operation */
  uint32_t tensors; /* id */
  uint32_t stack;   /* id */
  uint32_t reserved;
  uint64_t payload_bytes;
  uint64_t stream; /* where it was queued, an opaque number; 0: none. The thread is noted by itself. */
};

/* What ties the later words about a call to it. Copy it freely, keep it beside the request; it owns nothing.
 * One whose communicator is 0 is of a call that is not recorded: marking it does nothing. */
struct lockstep_ticket {
  uint64_t sequence;
  uint32_t communicator;
  int32_t peer; /* -1: none */
  uint8_t operation;
  uint8_t reserved[7];
};

/* The rank issues a call. Before the real one is made: evidence must be there when it hangs. */
LOCKSTEP_API void lockstep_begin_call(const struct lockstep_call_facts* facts,
                                      struct lockstep_ticket* ticket);

/* A call got further: `status` is LOCKSTEP_DONE_STARTED (on the device, or the rank began to wait for it),
 * _COMPLETED or _FAILED with `error`,
 * the id of a text. From any thread. `time_ns` 0: now. */
LOCKSTEP_API void lockstep_mark_call(const struct lockstep_ticket* ticket, uint8_t status, uint32_t error,
                                     uint64_t time_ns);

/* Checksums of what a call was given and gave back, when the user wants them (LOCKSTEP_CHECKSUMS=1). Input
 * must be summed before the call, output after its completion; a sum computed elsewhere (on a device) may be
 * given as well. */
LOCKSTEP_API int lockstep_wants_checksums(void);
struct lockstep_checksum_facts {
  uint32_t size;
  uint8_t has_input;
  uint8_t has_output;
  uint16_t reserved;
  uint64_t input;
  uint64_t output;
};
LOCKSTEP_API void lockstep_note_checksums(const struct lockstep_ticket* ticket,
                                          const struct lockstep_checksum_facts* facts);

/* XXH3-64 over several pieces of memory as if they were one. */
struct lockstep_piece {
  const void* data;
  size_t bytes;
};
LOCKSTEP_API uint64_t lockstep_checksum_pieces(const struct lockstep_piece* pieces, size_t count);

/* ---- around the calls --------------------------------------------------------------------------------- */

/* A step, an epoch, a checkpoint being saved or loaded, a wait for data ... begins, ends or just happens.
 * Begin and end belong together by activity, number, name and thread. */
struct lockstep_activity_facts {
  uint32_t size;
  uint8_t activity; /* LOCKSTEP_ACTIVITY_... */
  uint8_t phase;    /* LOCKSTEP_PHASE_... */
  uint16_t reserved;
  uint64_t number;  /* of the step, epoch ...; 0: none */
  uint64_t time_ns; /* 0: now */
  uint32_t name;    /* id */
  uint32_t reserved2;
};
LOCKSTEP_API void lockstep_mark_activity(const struct lockstep_activity_facts* facts);

#ifdef __cplusplus
}
#endif

#endif
