/* How an adapter gives the recorder what calls received (lockstep run --payload), and gets it back when one
 * rank is run alone (lockstep replay). An addition to recorder.h, with its promises, except that keeping
 * bytes copies them, and that serving reads files. */
#ifndef LOCKSTEP_PAYLOAD_H
#define LOCKSTEP_PAYLOAD_H

#include "lockstep/recorder.h"

#ifdef __cplusplus
extern "C" {
#endif

enum lockstep_payload_mode_number {
  LOCKSTEP_PAYLOAD_OFF = 0,
  LOCKSTEP_PAYLOAD_KEEPS = 1, /* results are kept */
  LOCKSTEP_PAYLOAD_SERVES = 2 /* this is a replay: calls are not made, their results are served */
};
LOCKSTEP_API int lockstep_payload_mode(void);

/* What a call is given, after lockstep_begin_call and before the call is made. `pieces` null: its tensors
 * cannot be read, which is noted. */
LOCKSTEP_API void lockstep_keep_input(const struct lockstep_ticket* ticket,
                                      const struct lockstep_piece* pieces, size_t count);

/* Where the job stands, for what is told of a call later: a device has it when it gets there. */
struct lockstep_payload_moment {
  uint32_t size;
  uint32_t is_between_steps;
  uint64_t step; /* steps that have ended */
};
LOCKSTEP_API void lockstep_payload_now(struct lockstep_payload_moment* moment);

/* lockstep_keep_input of `count` tensors that the device itself has summed. */
LOCKSTEP_API void lockstep_keep_input_sum(const struct lockstep_ticket* ticket,
                                          const struct lockstep_payload_moment* moment, const uint8_t sum[16],
                                          uint64_t bytes, size_t count);

/* What it gave back, one piece for each tensor, before anybody can use it. `source`: of a receive from
 * anybody, who it was; else -1. */
LOCKSTEP_API void lockstep_keep_output(const struct lockstep_ticket* ticket,
                                       const struct lockstep_piece* pieces, size_t count, int32_t source);

/* More comes than can be kept: from here on no bytes are, and the recording says so. Whether it is so. */
LOCKSTEP_API void lockstep_stop_payload(void);
LOCKSTEP_API int lockstep_payload_has_stopped(void);

/* It failed, and this was said. */
LOCKSTEP_API void lockstep_keep_failure(const struct lockstep_ticket* ticket, const char* error,
                                        size_t bytes);

/* A step ended, and this is what its rank has learned: one name for each piece, one to a line. */
LOCKSTEP_API void lockstep_keep_state(uint64_t step, const char* names, size_t names_bytes,
                                      const struct lockstep_piece* pieces, size_t count);

/* The same in two parts: a step ended; this is what its rank had learned by then, summed already. */
LOCKSTEP_API void lockstep_end_step(uint64_t step);
LOCKSTEP_API void lockstep_keep_state_sums(uint64_t step, const char* names, size_t names_bytes,
                                           const uint64_t* sums, size_t count);

/* A step begins. What comes before the first one is done once, also when a script resumes from a checkpoint;
 * what comes between two belongs to saving and evaluating. */
LOCKSTEP_API void lockstep_begin_step(void);

/* The job has saved its state, from which its script can resume. */
LOCKSTEP_API void lockstep_keep_checkpoint(const char* path, size_t bytes);

/* Random bytes that this process took from the system, at any time from its start on. */
LOCKSTEP_API void lockstep_keep_entropy(const void* data, size_t bytes);

/* ---- replay ------------------------------------------------------------------------------------------- */

enum lockstep_serve_status {
  LOCKSTEP_SERVED = 0,
  LOCKSTEP_SERVE_FAILURE = 1,  /* the recorded call failed: `error` is what it said */
  LOCKSTEP_SERVE_UNKNOWN = 2,  /* the recorded rank made no such call */
  LOCKSTEP_SERVE_OPEN = 3,     /* it made it, and the recording ends before its result */
  LOCKSTEP_SERVE_MISFIT = 4,   /* it made it with tensors of other sizes */
  LOCKSTEP_SERVE_NOT_KEPT = 5, /* its result was not kept, or is lost or damaged */
};
/* Why nothing is served, for people. */
static inline const char* lockstep_serve_reason(int status) {
  switch (status) {
    case LOCKSTEP_SERVE_FAILURE:
      return "it failed in the recorded run";
    case LOCKSTEP_SERVE_OPEN:
      return "the recording ends here: it was made and never seen to end";
    case LOCKSTEP_SERVE_MISFIT:
      return "off the record: it had tensors of other sizes in the recorded run";
    case LOCKSTEP_SERVE_NOT_KEPT:
      return "the recording ends here: its result was not kept";
    default:
      return "off the record: the recorded rank did not make it; its recording ended before, or this program "
             "does something else";
  }
}

struct lockstep_served {
  uint32_t size;
  int32_t source;
  const char* error; /* stays valid; no closing zero */
  size_t error_bytes;
  uint64_t step; /* of the recorded call */
};
struct lockstep_room {
  void* data;
  size_t bytes;
};
/* The size of one output of a recorded call, where the program does not know it before. A
 * lockstep_serve_status. */
LOCKSTEP_API int lockstep_served_bytes(const struct lockstep_ticket* ticket, size_t output, uint64_t* bytes);

/* The recorded result of a call, copied to `rooms`, one for each output tensor. */
LOCKSTEP_API int lockstep_serve_call(const struct lockstep_ticket* ticket, const struct lockstep_room* rooms,
                                     size_t count, struct lockstep_served* served);

/* The random bytes that the recorded rank took from the system. 1, or 0 when the system is to be asked. */
LOCKSTEP_API int lockstep_serve_entropy(void* to, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
