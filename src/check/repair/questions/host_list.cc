// The hosts that a launcher is told: each once, by a name that means it everywhere, with its slots.
#include <algorithm>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "check/repair/host_file.h"
#include "check/repair/questions/questions.h"

namespace lockstep::repair {
namespace {

namespace field = config::field;
using config::Settings;

class HostList {
 public:
  explicit HostList(const RepairProblem& problem) : problem_(problem), launch_(problem.hosts().launch()) {}

  // Empty: it is not to be made of what is there.
  std::vector<HostEntry> made() {
    for (std::size_t i = 0; i < launch_.count(field::kHostList); ++i) {
      const std::string path = field::item(field::kHostList, i);
      add({launch_.text(field::member(path, "name")), launch_.number(field::member(path, "slots"))});
    }
    for (std::size_t i = 0; i < launch_.count(field::kHostfileFaults); ++i)
      if (!add_from(launch_.text(field::item(field::kHostfileFaults, i)))) return {};
    if (launch_.has(field::kDeepspeed)) give_slots();
    return entries_;
  }

 private:
  static bool is_loopback(const std::string& name) {
    const auto address = base::parse_address(name);
    return name == "localhost" || (address && address->is_loopback());
  }

  // Of several entries for a host one stays, with the slots of all.
  void add(HostEntry entry) {
    if (is_loopback(entry.name)) entry.name = own_name();
    const auto same = std::ranges::find(entries_, entry.name, &HostEntry::name);
    if (same == entries_.end()) return entries_.push_back(std::move(entry));
    same->slots = same->slots.value_or(1) + entry.slots.value_or(1);
  }

  // A line that begins with the name of a host: "b slots=eight".
  bool add_from(std::string_view line) {
    const std::string name(base::word_of(line, std::string_view(" \t,;:=")));
    if (!problem_.hosts().named(name)) return false;
    const std::size_t digit = line.find_first_of("0123456789", name.size());
    const auto slots =
        digit == std::string_view::npos
            ? std::nullopt
            : base::number_in<std::int64_t>(base::word_of(line.substr(digit), std::string_view(" \t,;:=")));
    add({name, slots});
    return true;
  }

  // The only host that the list does not name; the one that launches, where that is not told.
  std::string own_name() const {
    std::vector<std::string> others;
    for (std::size_t host = 0; host < problem_.hosts().size(); ++host) {
      const std::string& name = problem_.hosts()[host].name;
      bool is_listed = false;
      for (std::size_t i = 0; i < launch_.count(field::kHostList); ++i)
        is_listed |= problem_.hosts().named(launch_.text(field::host_name(i))) == host;
      if (!is_listed) others.push_back(name);
    }
    if (others.size() == 1) return others.front();
    return problem_.hosts().size() == 0 ? "localhost" : problem_.hosts()[problem_.hosts().launching()].name;
  }

  void give_slots() {
    for (HostEntry& entry : entries_) {
      const auto host = problem_.hosts().named(entry.name);
      const std::size_t gpus = host ? problem_.hosts()[*host].gpus.gpus.size() : 0;
      if (!entry.slots) entry.slots = static_cast<std::int64_t>(std::max<std::size_t>(gpus, 1));
    }
  }

  const RepairProblem& problem_;
  const Settings& launch_;
  std::vector<HostEntry> entries_;
};

}  // namespace

void ask_host_list(RepairProblem& problem) {
  constexpr std::string_view kRules = "D15 L07 L08 L20 L21";
  const Settings& launch = problem.hosts().launch();
  Answer answer{"the list has each host once", {}};
  const std::vector<HostEntry> entries = HostList(problem).made();
  const std::string flag = launch.has(field::kMpiHosts) ? field::kMpiHosts : field::kHorovodHosts;
  if (!entries.empty())
    answer.edits = {{.kind = EditKind::kLaunch,
                     .launch = 0,
                     .name = launch.has(flag) ? flag : std::string(field::kHostList),
                     .value = as_flag(entries)}};
  problem.ask_one_change(kRules, std::move(answer));
}

}  // namespace lockstep::repair
