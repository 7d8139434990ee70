#include "catalogue/version_range.h"

#include <algorithm>
#include <charconv>
#include <compare>

#include "base/text_fields.h"

namespace lockstep::catalogue {
namespace {

std::strong_ordering compare(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const int left = i < a.size() ? a[i] : 0;
    const int right = i < b.size() ? b[i] : 0;
    if (left != right) return left <=> right;
  }
  return std::strong_ordering::equal;
}

}  // namespace

std::optional<Version> version_from(std::string_view text) {
  constexpr std::size_t kMaxParts = 4;
  Version version;
  while (version.size() < kMaxParts) {
    int part = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (fault != std::errc() || part < 0) break;
    version.push_back(part);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return version.empty() ? std::nullopt : std::optional(std::move(version));
}

std::optional<VersionRange> VersionRange::parse(std::string_view text) {
  VersionRange range;
  while (!text.empty()) {
    const std::string_view part = base::trimmed(base::word_of(text, ','));
    text.remove_prefix(std::min(text.size(), base::word_of(text, ',').size() + 1));
    const std::size_t digits = std::min(part.find_first_of("0123456789"), part.size());
    const std::string_view sign = base::trimmed(part.substr(0, digits));
    auto version = version_from(part.substr(digits));
    if (!version) return std::nullopt;
    if (sign == ">=") {
      range.limits_.push_back({Bound::kAtLeast, *std::move(version)});
    } else if (sign == ">") {
      range.limits_.push_back({Bound::kMoreThan, *std::move(version)});
    } else if (sign == "<=") {
      range.limits_.push_back({Bound::kAtMost, *std::move(version)});
    } else if (sign == "<") {
      range.limits_.push_back({Bound::kLessThan, *std::move(version)});
    } else if (sign == "==") {
      range.limits_.push_back({Bound::kExactly, *std::move(version)});
    } else {
      return std::nullopt;
    }
  }
  return range.limits_.empty() ? std::nullopt : std::optional(std::move(range));
}

bool VersionRange::contains(const Version& version) const {
  return std::ranges::all_of(limits_, [&](const Limit& limit) {
    const std::strong_ordering order = compare(version, limit.version);
    switch (limit.bound) {
      case Bound::kAtLeast:
        return order >= 0;
      case Bound::kMoreThan:
        return order > 0;
      case Bound::kAtMost:
        return order <= 0;
      case Bound::kLessThan:
        return order < 0;
      case Bound::kExactly:
        return order == 0;
    }
    return false;
  });
}

}  // namespace lockstep::catalogue
