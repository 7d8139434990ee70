// PyTorch flight recorder dumps as PyTorch writes them itself: pickled, every version since 2.1. Also dumps
// that were loaded and pickled again by Python, in any protocol.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/job.h"
#include "readers/pytorch/flight_recorder_rank.h"
#include "readers/pytorch/known_entries.h"
#include "readers/pytorch/pickle_literals.h"
#include "readers/pytorch/pickle_stack.h"
#include "readers/source.h"

namespace lockstep::readers {

// Makes flight recorder entries of pickled ones.
//
// Texts and frames are shared by all entries of a dump and lie at one address, so they are compared by
// address first; each distinct name, group, shape list and stack is made once.
class PickleEntryReader : public PickleEntries {
 public:
  explicit PickleEntryReader(FlightRecorderRank& rank) : rank_(rank) {}

  void take(std::span<const PickleValue> entry, PickleStore& store, std::string_view bytes) override;
  std::size_t take_known(std::string_view bytes) override;
  void forget_known() override { known_.forget_all(); }

 private:
  // The values that are looked at only when all are known.
  struct Parts {
    PickleValue name;
    PickleValue group;
    PickleValue thread;
    PickleValue frames;
    PickleValue input_sizes;
    PickleValue output_sizes;
    PickleValue input_types;
    PickleValue output_types;
  };

  static void read_member(const PickleValue& key, const PickleValue& value, FlightRecorderEntry& entry,
                          Parts& parts);
  std::uint32_t name_of(const PickleValue& text);
  std::uint32_t group_of(const PickleValue& pair, std::uint32_t name, const PickleStore& store);
  std::uint32_t thread_of(const PickleValue& id);
  std::uint32_t payload_of(const PickleValue& list, PickleStore& store);
  model::CollectiveId collective_of(const Parts& parts, std::uint32_t name, PickleStore& store);
  model::StackId stack_of(const PickleValue& frames, PickleStore& store);
  std::uint32_t frame_of(const PickleValue& frame, PickleStore& store);

  FlightRecorderRank& rank_;
  KnownEntries known_;
  NumberCache names_;
  NumberCache groups_;
  NumberCache threads_;
  NumberCache payloads_;
  std::uint32_t last_payload_ = 0;
  NumberCache collectives_;
  NumberCache stacks_;
  NumberCache frame_numbers_;
  std::vector<model::Frame> frames_;
  std::vector<std::uint32_t> stack_frames_;  // of the entry at hand
};

bool is_flight_recorder_pickle(const Source& source);
model::Job read_flight_recorder_pickle(const Source& source);

}  // namespace lockstep::readers
