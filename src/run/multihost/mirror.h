// What a satellite sends the head about the ranks of its host: their record files, the state of their
// processes, evidence and output.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lockstep/record_format.h"

#include "base/result.h"
#include "record/byte_source.h"
#include "record/follower.h"
#include "record/recording.h"
#include "run/multihost/messages.h"
#include "run/watch/rank_process.h"

namespace lockstep::multihost {

// The record file of one rank, as its copy on the head should be: a ring of the newest chunks, and all
// definitions.
//
// Holds only where each chunk goes and how much of it was sent; the file itself is the queue for a slow
// connection. What is overwritten before it was sent is left out, as in any ring.
class RankMirror {
 public:
  using Emit = std::function<void(Message)>;

  // `max_bytes` of events are kept in the copy. An error also when the file is only just being made.
  static Result<RankMirror> open(const std::filesystem::path& path, std::size_t max_bytes);

  RankName name() const;
  const lockstep_file_header& header() const { return follower_.header(); }

  // Finds what the rank wrote since the last look.
  void look();

  // Hands on what the copy lacks, about `max_bytes` of it, and gives the number of bytes handed on. The
  // first call begins the copy.
  std::size_t hand_on(std::size_t max_bytes, const Emit& emit);
  bool is_through() const { return begun_ && unsent_.empty(); }

 private:
  struct Place {
    std::uint64_t source = 0;    // where its chunk is in the file
    std::uint64_t sequence = 0;  // the chunk's number
    std::uint32_t known = 0;     // bytes of whole records from the chunk's begin on
    std::uint32_t sent = 0;
    std::uint64_t looked = 0;  // when it last grew
    bool is_definitions = false;
    bool was_used = false;  // the copy has something there
    bool is_unsent = false;
  };

  RankMirror(record::Follower follower, std::unique_ptr<record::ByteSource> bytes, std::size_t max_places)
      : follower_(std::move(follower)), bytes_(std::move(bytes)), max_event_places_(max_places) {}

  void note(const record::RecordView& record);
  std::optional<std::size_t> place_for(std::uint64_t chunk_offset);
  std::size_t take_place(bool is_definitions);
  void begin(const Emit& emit);
  std::size_t hand_on_place(Place& place, std::uint64_t at, const Emit& emit);
  void hand_on_counters(const Emit& emit);
  bool read(std::uint64_t offset, void* into, std::size_t size);

  record::Follower follower_;
  std::unique_ptr<record::ByteSource> bytes_;
  std::size_t max_event_places_;
  std::size_t event_places_ = 0;
  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, std::size_t> by_source_;
  std::unordered_map<std::uint64_t, bool> checked_;  // chunks whose header was read during this look
  std::vector<std::size_t> unsent_;                  // places, in the order in which they grew
  std::uint64_t looks_ = 0;
  bool begun_ = false;
  std::uint64_t overwritten_ = 0;  // in the copy
  std::uint64_t left_out_ = 0;     // chunks that it never had
  lockstep_live_counters sent_counters_{};
};

// All ranks of this host.
class HostMirror {
 public:
  explicit HostMirror(std::filesystem::path recording) : recording_(std::move(recording)) {}

  // Takes in what the ranks of this host did.
  void look();

  // Hands on what the head lacks, about `max_bytes` of it.
  void hand_on(std::size_t max_bytes, const RankMirror::Emit& emit);

  // After everything was handed on: processes that changed since the last pulse, and the instant before the
  // look. Otherwise the instant is that of the pulse before.
  Pulse pulse();

  // What was kept of the ranks when a fault was seen, and of this host.
  std::vector<EvidenceFile> evidence() const;

  // The end of what the job printed.
  std::vector<Output> output() const;

 private:
  struct Followed {
    RankMirror mirror;
    watch::RankProcess process;
    ProcessState now;
    ProcessState sent;
    std::chrono::steady_clock::time_point sent_at{};
  };

  void find_new_files();
  void sample(Followed& rank);

  std::filesystem::path recording_;
  std::filesystem::file_time_type listed_;
  std::vector<record::RankFile> unopened_;
  std::map<RankName, Followed> ranks_;
  std::chrono::steady_clock::time_point sampled_{};
  std::int64_t looked_ns_ = 0;
  std::int64_t as_of_ns_ = 0;
};

}  // namespace lockstep::multihost
