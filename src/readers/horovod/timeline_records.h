// The records of a timeline one after another, from a file that often is no JSON: its array may be open, end
// in a comma, or hold tensor names that nobody escaped. So records are told apart by the brackets that begin
// them, and one that cannot be parsed spoils no other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/fast_json.h"

namespace lockstep::readers {

class TimelineRecords {
 public:
  explicit TimelineRecords(std::string_view text);

  // The next record as text. None at the end.
  std::optional<std::string_view> next();

 private:
  std::size_t next_begin(std::size_t from) const;

  std::string_view text_;
  std::size_t begin_ = 0;
};

// The name that a record {"name": "process_name", ..., "pid": 7, "args": {"name": "..."}} gives to its pid,
// whatever characters it holds. None for any other record.
struct NamedTensor {
  std::int64_t pid = 0;
  std::string_view name;
};
std::optional<NamedTensor> tensor_named_by(std::string_view record);

}  // namespace lockstep::readers
