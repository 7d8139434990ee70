// The results of a recorded rank, found by what they are results of: the payload files of its job, mapped,
// and a table over them. Read once, then only asked.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "lockstep/payload.h"
#include "lockstep/payload_format.h"

#include "mapped_input.h"
#include "payload_keeper.h"

namespace lockstep::recorder {

class PayloadIndex {
 public:
  // The files of all ranks lie in `folder`. 0 or an errno: ENOENT when the rank has none, EBADMSG when it is
  // no payload file.
  int open(const char* folder, std::int32_t rank, std::uint32_t restart);

  bool is_open() const { return entries_ != nullptr; }

  // The size of one output of a call. A lockstep_serve_status.
  int output_bytes(const PayloadKey& key, std::size_t output, std::uint64_t& bytes) const;

  // The lowest number of the rank's calls after so many steps whose key is wanted, where it can be within a
  // step; 0: there is none.
  template <typename IsWanted>
  std::uint64_t first_number(std::uint64_t step, IsWanted is_wanted) const {
    std::uint64_t first[2] = {0, 0};  // within a step; of any
    for_each([&](const lockstep_payload_entry* entry, const Part& part) {
      const lockstep_payload_call* const call = lockstep_payload_as_call(entry);
      if (call == nullptr || part.rank != rank_ || call->step < step) return;
      if (!is_wanted(PayloadKey{call->communicator, call->sequence, call->peer, call->operation})) return;
      const bool is_between = (call->flags & LOCKSTEP_PAYLOAD_BETWEEN_STEPS) != 0;
      for (std::uint64_t* lowest : {&first[0], &first[1]}) {
        if (lowest == &first[0] && is_between) continue;
        if (*lowest == 0 || call->sequence < *lowest) *lowest = call->sequence;
      }
    });
    return first[0] != 0 ? first[0] : first[1];
  }

  // A lockstep_serve_status.
  int serve(const PayloadKey& key, const lockstep_room* rooms, std::size_t count,
            lockstep_served& served) const;

 private:
  // A part of a rank's payload.
  struct Part {
    MappedInput entries;
    MappedInput blobs;
    mutable std::atomic<std::uint64_t> fetched_blobs{0};
    std::int32_t rank = 0;
  };
  struct Place {
    std::uint64_t name;  // 0: free
    const lockstep_payload_entry* entry;
    const Part* part;
  };
  static constexpr std::size_t kMostParts = 65536;

  int map_parts(const char* folder, std::uint32_t restart);
  void map_part(const char* folder, const char* name, std::uint32_t restart);
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < part_count_; ++i) {
      const MappedInput& file = parts_[i].entries;
      std::uint64_t offset = lockstep_payload_begin(file.data, file.bytes);
      while (const lockstep_payload_entry* entry =
                 lockstep_payload_entry_at(file.data, file.bytes, offset, &offset)) {
        visit(entry, parts_[i]);
      }
    }
  }
  void add(std::uint64_t name, const lockstep_payload_entry* entry, const Part* part);
  const Place* find(std::uint64_t name) const;
  template <typename Body>
  const Body* find_body(const PayloadKey& key, std::uint16_t type,
                        const Body* (*as_body)(const lockstep_payload_entry*)) const;
  // Its result, and why there is none as a lockstep_serve_status.
  const lockstep_payload_result* find_result(const PayloadKey& key, lockstep_served& served,
                                             int& status) const;
  const void* find_content(const lockstep_payload_output& output) const;
  bool copy(const lockstep_payload_output& output, const lockstep_room& room) const;

  Place* entries_ = nullptr;
  std::size_t capacity_ = 0;
  Part* parts_ = nullptr;
  std::size_t part_count_ = 0;
  std::int32_t rank_ = 0;
};

}  // namespace lockstep::recorder
