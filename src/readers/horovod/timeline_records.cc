#include "readers/horovod/timeline_records.h"

#include "base/text_fields.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

}  // namespace

TimelineRecords::TimelineRecords(std::string_view text) : text_(text), begin_(next_begin(0)) {}

// A record's bracket follows a comma or the array's bracket; that of its arguments follows a colon.
std::size_t TimelineRecords::next_begin(std::size_t from) const {
  for (std::size_t at = from; (at = text_.find('{', at)) != std::string_view::npos; ++at) {
    const std::size_t before = text_.substr(0, at).find_last_not_of(kSpace);
    if (before == std::string_view::npos || text_[before] == ',' || text_[before] == '[') return at;
  }
  return std::string_view::npos;
}

std::optional<std::string_view> TimelineRecords::next() {
  if (begin_ == std::string_view::npos) return std::nullopt;
  const std::size_t end = next_begin(begin_ + 1);
  std::string_view record = text_.substr(begin_, end - begin_);
  begin_ = end;
  const std::size_t last = record.find_last_not_of(" \t\r\n,]");
  return record.substr(0, last + 1);
}

std::optional<NamedTensor> tensor_named_by(std::string_view record) {
  constexpr std::string_view kKey = "\"args\": {\"name\": \"";
  if (record.find("\"process_name\"") == std::string_view::npos) return std::nullopt;
  const auto pid = base::number_in<std::int64_t>(base::word_after(record, "\"pid\": ", ",}"));
  std::string_view name = base::rest_after(record, kKey);
  if (!pid || name.empty() || !name.ends_with("\"}}")) return std::nullopt;
  name.remove_suffix(3);
  return NamedTensor{.pid = *pid, .name = name};
}

}  // namespace lockstep::readers
