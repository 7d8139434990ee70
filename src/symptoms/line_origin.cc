#include "symptoms/line_origin.h"

#include <charconv>
#include <vector>

#include "base/check.h"
#include "base/regex.h"

namespace lockstep::symptoms {
namespace {

constexpr std::string_view kPrefixes[] = {
    R"(^\s*\[rank\s?(?P<rank>\d{1,6})\]:)",                     // torchrun --tee, c10d
    R"(^\s*\[(?:default|trainer|worker)(?P<rank>\d{1,6})\]:)",  // torchrun roles
    R"(^\s*\[\d+,(?P<rank>\d{1,6})\]<std(?:out|err)>:)",        // mpirun --tag-output
    R"(^[^<\[]{0,40}\[(?P<rank>\d{1,6})\]<std(?:out|err)>:)",   // horovodrun over Gloo
    R"(^\s{0,5}(?P<rank>\d{1,6}): )",                           // srun --label
    R"(^\[(?:worker|chief|ps)-(?P<rank>\d{1,6})\]:)",           // TensorFlow's runner
    R"(^\[pod/[^\]/]*-(?P<rank>\d{1,6})/[^\]]*\])",             // kubectl logs --prefix
    R"(^\([\w<>.]*\s?pid=\d+(?:, ip=(?P<host>[\d.]+))?\) (?:\[rank:? ?(?P<rank>\d{1,6})\])?)",  // Ray
    R"(\[rank[=:] ?(?P<rank>\d{1,6})\])",  // Determined, Lightning
    R"(^\s*\[RANK (?P<rank>\d{1,6})\])",   // trainers
};

const std::vector<base::Regex>& prefixes() {
  static const std::vector<base::Regex> compiled = [] {
    std::vector<base::Regex> all;
    for (const std::string_view pattern : kPrefixes) {
      auto regex = base::Regex::compile(pattern, "line prefix");
      CHECK(regex.ok(), "line prefixes are valid patterns");
      all.push_back(std::move(regex).value());
    }
    return all;
  }();
  return compiled;
}

std::optional<int> number_from(const std::string& digits) {
  int number = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return fault == std::errc() && end != digits.data() ? std::optional(number) : std::nullopt;
}

}  // namespace

LineOrigin origin_of_line(std::string_view line) {
  constexpr std::size_t kLongestPrefix = 200;
  const std::string_view head = line.substr(0, kLongestPrefix);
  for (const base::Regex& prefix : prefixes()) {
    auto captures = prefix.capture(head);
    if (!captures) continue;
    return {number_from((*captures)["rank"]), (*captures)["host"]};
  }
  return {};
}

}  // namespace lockstep::symptoms
