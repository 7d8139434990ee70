// The results of a recorded rank, found by what they are results of: the payload files of its job, mapped,
// and a table over them. Read once, then only asked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lockstep/payload.h"
#include "lockstep/payload_format.h"

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

  // A lockstep_serve_status.
  int serve(const PayloadKey& key, const lockstep_room* rooms, std::size_t count,
            lockstep_served& served) const;

 private:
  struct File {
    const char* data;
    std::uint64_t bytes;
  };
  struct Place {
    std::uint64_t name;  // 0: free
    const lockstep_payload_entry* entry;
  };
  static constexpr std::size_t kMostFiles = 65536;

  static int map(const char* path, File& file);
  template <typename Visit>
  static void for_each(const File& file, Visit visit);
  void add(std::uint64_t name, const lockstep_payload_entry* entry);
  const lockstep_payload_entry* find(std::uint64_t name) const;
  // Its result, and why there is none as a lockstep_serve_status.
  const lockstep_payload_result* find_result(const PayloadKey& key, lockstep_served& served,
                                             int& status) const;
  bool copy(const lockstep_payload_output& output, const lockstep_room& room) const;

  Place* entries_ = nullptr;
  std::size_t capacity_ = 0;
  File own_{};
};

}  // namespace lockstep::recorder
