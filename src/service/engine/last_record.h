// The last record of a process: how it ended. Room for it on the disk is taken while there is some, so that a
// disk that is full by then does not turn a success into a failure; and whoever cannot write it waits.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string_view>

#include "base/process/descriptor.h"
#include "base/result.h"

namespace lockstep::service {

class LastRecord {
 public:
  // Takes room for `bytes` beside `path`. Without it, has_room() is false and write() may fail.
  LastRecord(std::filesystem::path path, std::size_t bytes);
  LastRecord(const LastRecord&) = delete;
  LastRecord& operator=(const LastRecord&) = delete;
  ~LastRecord();

  bool has_room() const { return has_room_; }

  // Once. Readers see the whole record or none.
  Result<void> write(std::string_view record);

  // As write(), again and again while the folder is there. `wait` waits between two tries; false: no longer.
  Result<void> write_patiently(std::string_view record, const std::function<bool()>& wait);

 private:
  std::filesystem::path path_;
  std::filesystem::path room_;
  process::Descriptor file_;
  bool has_room_ = false;
};

}  // namespace lockstep::service
