#include "report/html/call_sides.h"

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/escape.h"
#include "base/file.h"
#include "base/lines.h"
#include "diagnose/ranks/align.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/signature.h"
#include "diagnose/ranks/timing/waiting_calls.h"

namespace lockstep::html {
namespace {

constexpr std::size_t kMaxFindings = 8;  // with sides; those behind are hardly read
constexpr std::size_t kMaxSides = 4;     // of a finding
constexpr int kLinesAround = 3;
constexpr std::size_t kLargestScript = std::size_t{1} << 20;
constexpr std::size_t kLongestScriptLine = 160;  // code points are not counted: a snippet is no full view

struct SideKey {
  std::string call;
  std::string site;

  auto operator<=>(const SideKey&) const = default;
};

struct SideFacts {
  std::vector<int> ranks;
  const model::Frame* frame = nullptr;
  std::int64_t called_ns = model::kNoTime;
};

SideKey key_of(const model::Job& job, const model::Event& event) {
  SideKey key;
  if (event.collective != model::CollectiveId::kNone)
    key.call = ranks::describe(job, ranks::signature_of(job, event));
  if (event.stack == model::StackId::kNone) return key;
  const model::Frame* frame = ranks::calling_frame(job.stacks[event.stack]);
  if (frame != nullptr) key.site = ranks::describe(model::Stack{*frame});
  return key;
}

using Sides = std::map<SideKey, SideFacts>;

bool ran_on(const model::Job& job, std::size_t rank, const std::string& host) {
  const std::optional<int> place = job.ranks[rank].rank.host;
  return !host.empty() && place && job.hosts[static_cast<std::size_t>(*place)].name == host;
}

void add_arrivals(const model::Job& job, const ranks::Meeting& meeting, const std::string& own_host,
                  Sides& sides) {
  for (const ranks::EventPlace& place : meeting.arrivals) {
    const model::Event& event = ranks::event_at(job, place);
    SideFacts& side = sides[key_of(job, event)];
    side.ranks.push_back(job.ranks[place.rank].rank.number);
    if (event.stack != model::StackId::kNone && ran_on(job, place.rank, own_host))
      side.frame = ranks::calling_frame(job.stacks[event.stack]);
    if (ranks::is_time(event.begin_ns)) side.called_ns = event.begin_ns;
  }
}

std::vector<CallSide> in_words(Sides sides) {
  std::vector<CallSide> all;
  for (auto& [key, facts] : sides) {
    std::ranges::sort(facts.ranks);
    CallSide side{.ranks = std::move(facts.ranks), .call = key.call, .site = key.site};
    if (facts.frame != nullptr)
      side.snippet = snippet_of(facts.frame->file, facts.frame->line, facts.called_ns);
    all.push_back(std::move(side));
  }
  std::ranges::stable_sort(all, std::greater<>(), [](const CallSide& side) { return side.ranks.size(); });
  if (all.size() > kMaxSides) all.resize(kMaxSides);
  return all;
}

}  // namespace

std::vector<FindingSides> sides_of(const model::Job& job, const std::vector<EvidenceEvent>& evidence,
                                   const std::string& own_host) {
  if (evidence.empty()) return {};
  const ranks::Alignment alignment = ranks::align(job);
  const ranks::MeetingFinder finder(job, alignment);
  // One meeting for each finding: the one that most of its evidence is from.
  std::map<std::size_t, std::map<std::uint32_t, std::size_t>> counts;
  for (const EvidenceEvent& one : evidence) {
    const std::uint32_t meeting = finder.find(job.ranks[one.rank].events[one.event]);
    if (meeting != ranks::kNoMeeting) ++counts[one.finding][meeting];
  }
  std::vector<FindingSides> all;
  for (const auto& [finding, of_meeting] : counts) {
    if (all.size() == kMaxFindings) break;
    const auto most = std::ranges::max_element(
        of_meeting, [](const auto& left, const auto& right) { return left.second < right.second; });
    Sides sides;
    add_arrivals(job, alignment.meetings()[most->first], own_host, sides);
    all.push_back({.finding = finding, .sides = in_words(std::move(sides))});
  }
  return all;
}

std::string host_of_own_recording(const std::string& folder) {
  struct stat facts {};
  const bool is_own =
      ::stat(folder.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == ::geteuid();
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (!is_own || ::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.data();
}

Snippet snippet_of(const std::string& path, int line, std::int64_t not_after_ns) {
  if (line <= 0 || !path.ends_with(".py")) return {};
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return {};
  const std::int64_t changed_ns = std::int64_t{facts.st_mtim.tv_sec} * 1'000'000'000 + facts.st_mtim.tv_nsec;
  if (not_after_ns == model::kNoTime || changed_ns > not_after_ns) return {};
  const auto text = base::read_file(path, kLargestScript);
  if (!text.ok()) return {};
  Snippet snippet{.first_line = 0, .called_line = line, .lines = {}};
  base::Lines lines(text.value());
  for (int number = 1; number <= line + kLinesAround; ++number) {
    const auto next = lines.next();
    if (!next) break;
    if (number < line - kLinesAround) continue;
    if (snippet.lines.empty()) snippet.first_line = number;
    snippet.lines.push_back(base::to_valid_utf8(next->substr(0, kLongestScriptLine)));
  }
  if (snippet.first_line + static_cast<int>(snippet.lines.size()) <= line) return {};  // it is not so long
  return snippet;
}

}  // namespace lockstep::html
