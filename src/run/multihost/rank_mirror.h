// The record file of one rank of this host, as a copy elsewhere is to have it: a ring of the newest chunks,
// and all definitions.
//
// Nothing is kept here but where each chunk goes and how much of it was handed on; the file itself is what
// waits for a slow connection. What is overwritten before it could be handed on is left out, as in any ring.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lockstep/record_format.h"

#include "base/result.h"
#include "record/byte_source.h"
#include "record/follower.h"
#include "run/multihost/messages.h"

namespace lockstep::multihost {

class RankMirror {
 public:
  using Emit = std::function<void(Message)>;

  // `most_bytes` of events are kept in the copy. An error also when the file is only just being made.
  static Result<RankMirror> open(const std::filesystem::path& path, std::size_t most_bytes);

  RankName name() const;
  const lockstep_file_header& header() const { return follower_.header(); }

  // Finds what the rank wrote since the last look.
  void look();

  // Hands on what the copy lacks, about `most_bytes` of it, and gives the number of bytes handed on. The
  // first call begins the copy.
  std::size_t hand_on(std::size_t most_bytes, const Emit& emit);
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

  RankMirror(record::Follower follower, std::unique_ptr<record::ByteSource> bytes, std::size_t most_places)
      : follower_(std::move(follower)), bytes_(std::move(bytes)), most_event_places_(most_places) {}

  void note(const record::RecordView& record);
  std::optional<std::size_t> place_for(std::uint64_t chunk_offset);
  std::size_t take_place(bool is_definitions);
  void begin(const Emit& emit);
  std::size_t hand_on_place(Place& place, std::uint64_t at, const Emit& emit);
  void hand_on_counters(const Emit& emit);
  bool read(std::uint64_t offset, void* into, std::size_t size);

  record::Follower follower_;
  std::unique_ptr<record::ByteSource> bytes_;
  std::size_t most_event_places_;
  std::size_t event_places_ = 0;
  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, std::size_t> by_source_;
  std::unordered_map<std::uint64_t, bool> checked_;  // chunks whose header was read during this look
  std::vector<std::size_t> unsent_;                  // places, in the order in which they grew
  std::uint64_t looks_ = 0;
  bool begun_ = false;
  std::uint64_t overwritten_ = 0;  // in the copy
  std::uint64_t left_out_ = 0;     // chunks that it never had
  lockstep_live_counters told_{};
};

}  // namespace lockstep::multihost
