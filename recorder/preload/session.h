// The recording of this process: one writer, the lanes of its threads, the numbers of its calls.
//
// Policies (docs/recorder.md has them in words, tests/recorder tests each)
//   fork    The session lies in memory that the kernel gives to a child as zeros, which means "not
//   recording";
//           the mapped file is not given to it at all. A child that becomes a rank starts a session of its
//           own.
//   exec    The descriptor closes and the mappings go; the new program starts afresh.
//   exit    A goodbye with the status is written; threads that still run may go on writing.
//   signals One handler is installed, of SIGBUS, for a record file that somebody cuts short: recording ends
//           and the job goes on (bus_guard.h). A handler that calls in while its thread is inside is turned
//           away.
//   dlclose The library is linked so that it is never unloaded.
#pragma once

#include <atomic>
#include <cstdint>

#include "lockstep/recorder.h"

#include "payload.h"
#include "recorder/core/lane.h"
#include "recorder/core/sequence_numbers.h"
#include "recorder/core/writer.h"
#include "settings.h"

namespace lockstep::recorder {

class Session {
 public:
  // The session of this process while it is recorded, or null.
  static Session* recording();

  // Sets memory aside; once, when the library is loaded. Without it nothing is ever recorded.
  static void prepare(const Settings& settings);

  // Makes the file. 0, or an errno and nothing is recorded. Also 0 when it was made before.
  static int start(const lockstep_rank_facts& facts);

  // Ends the file and makes another one in further memory: threads may still be inside the old one, which
  // therefore stays. 0, or an errno and nothing is recorded any more.
  static int restart(const lockstep_rank_facts& facts);

  static const Settings& settings();

  Writer& writer() { return writer_; }
  SequenceNumbers& numbers() { return numbers_; }
  Payload& payload() { return payload_; }
  std::int32_t id() const { return id_; }  // differs between recordings of parent and child, and of two lives

  // The lane of the calling thread; null when there are too many threads.
  Lane* lane();

  // A record of the same instant on both clocks, when the last one is old.
  void note_clock(Lane& lane, std::uint64_t now_ns);

 private:
  static constexpr std::size_t kMostThreads = 1024;
  enum Phase : std::uint32_t { kIdle = 0, kStarting, kRecording, kFailed };

  struct alignas(64) LaneSlot {
    Lane lane;
    std::atomic<bool> is_taken{false};
  };

  static Session* map();
  int open(const lockstep_rank_facts& facts, std::int32_t life);
  Lane* take_lane();
  static void leave_thread(void* slot_of_thread);
  static void stop_without_file(const void* lost_address);

  std::atomic<std::uint32_t> phase_{kIdle};  // first: zeroed memory is an idle session
  std::int32_t id_ = 0;
  std::atomic<std::uint64_t> last_clock_ns_{0};
  Writer writer_;
  SequenceNumbers numbers_;
  Payload payload_;
  LaneSlot lanes_[kMostThreads];
};

}  // namespace lockstep::recorder
