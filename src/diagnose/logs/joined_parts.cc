#include "diagnose/logs/joined_parts.h"

#include <algorithm>

namespace lockstep::logs {

void JoinedParts::clear() {
  text_.clear();
  begins_.clear();
  begins_in_log_.clear();
}

void JoinedParts::add(std::string_view bytes, std::size_t begin, std::size_t end) {
  if (!text_.empty()) text_ += '\n';
  begins_.push_back(text_.size());
  begins_in_log_.push_back(begin);
  text_ += bytes.substr(begin, end - begin);
}

void JoinedParts::scan(base::PatternScanner& scanner, const base::PatternScanner::OnMatch& on_match) {
  scanner.scan_growing(text_, [&](unsigned id, std::size_t end) {
    const auto after = std::ranges::lower_bound(begins_, end);
    const auto part = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, after - begins_.begin() - 1));
    on_match(id, begins_in_log_[part] + end - begins_[part]);
  });
}

}  // namespace lockstep::logs
