#include "readers/rank_in_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace lockstep::readers {

namespace {

constexpr int kLargestNumber = 9'999'999;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

std::optional<int> number_at_start(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && is_digit(text.front()) && number <= kLargestNumber;
  return is_number ? std::optional(number) : std::nullopt;
}

// The number behind the last `word` in `name`: "rank_3", "rank3", "rank-3", "rank=3".
std::optional<int> number_after(std::string_view name, std::string_view word) {
  for (std::size_t at = name.rfind(word); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : name.rfind(word, at - 1)) {
    if (at > 0 && is_letter(name[at - 1])) continue;
    const bool is_of_a_part = name.substr(0, at).ends_with("local_") || name.substr(0, at).ends_with("node_");
    std::string_view rest = name.substr(at + word.size());
    if (!rest.empty() && std::string_view("_-.=").find(rest.front()) != std::string_view::npos) {
      rest.remove_prefix(1);
    }
    if (rest.empty() || is_of_a_part) continue;
    if (const auto number = number_at_start(rest)) return number;
  }
  return std::nullopt;
}

// Words before a final number that is no rank.
bool counts_something_else(std::string_view prefix) {
  constexpr std::array<std::string_view, 14> kWords = {
      "step", "epoch", "iter",    "node", "host",   "attempt",    "gpu",
      "job",  "run",   "version", "pid",  "device", "local_rank", "node_rank"};
  while (!prefix.empty() && !is_letter(prefix.back())) prefix.remove_suffix(1);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return prefix.ends_with(word); });
}

std::optional<int> final_number(std::string_view name) {
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0; dot = name.rfind('.')) {
    if (dot + 1 < name.size() && is_digit(name[dot + 1])) break;
    name = name.substr(0, dot);
  }
  std::size_t begin = name.size();
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  if (begin == name.size() || counts_something_else(name.substr(0, begin))) return std::nullopt;
  return number_at_start(name.substr(begin));
}

std::string host_before(std::string_view name) {
  for (const std::string_view word : {"_nccl_trace_rank_", "_comm_lib_trace_rank_"}) {
    if (const std::size_t at = name.find(word); at != std::string_view::npos)
      return std::string(name.substr(0, at));
  }
  return {};
}

}  // namespace

RankInName rank_in_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  RankInName found;
  found.rank = number_after(name, "rank");
  found.restart = number_after(name, "attempt");
  if (!found.restart) found.restart = number_after(name, "restart");
  found.local_rank = number_after(name, "local_rank");
  found.host = host_before(name);
  std::vector<std::string> folders;
  for (const auto& folder : path.parent_path()) folders.push_back(folder.string());
  for (std::size_t below = folders.size(); below-- > 0;) {
    const std::string& folder = folders[below];
    if (!found.rank) found.rank = number_after(folder, "rank");
    if (found.restart) continue;
    found.restart = number_after(folder, "attempt");
    const bool has_folder_below = found.restart && below + 1 < folders.size();
    if (has_folder_below) found.local_rank = number_at_start(folders[below + 1]);
  }
  if (!found.rank && !found.local_rank) {
    found.rank = final_number(name);
    found.is_guess = found.rank.has_value();
  }
  return found;
}

void number_by_local_rank(const Source& source, model::Rank& rank, model::Job& job) {
  if (rank.number != model::kUnknownRank || !rank.local_rank) return;
  rank.number = *rank.local_rank;
  std::string limit = fmt::format(
      "{}: tells only the local rank; ranks are right only if the job ran on one host", source.name);
  if (std::ranges::find(job.limits, limit) == job.limits.end()) job.limits.push_back(std::move(limit));
}

}  // namespace lockstep::readers
