#include "readers/ranks_of_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text_fields.h"
#include "readers/rank_in_name.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kMaxDigits = 5;  // a longer number is a job, a process or a date

bool is_decimal(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_in_alphabet(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// Tasks of a cluster, in the order in which TensorFlow and the training operators of Kubernetes count them.
constexpr std::array<std::string_view, 4> kRoles = {"chief", "master", "worker", "ps"};
// What people write for a worker.
constexpr std::array<std::string_view, 5> kWorkers = {"worker", "trainer", "workerlog", "trainerlog",
                                                      "worker_log"};
// Numbers behind these words count something else.
constexpr std::array<std::string_view, 17> kOtherCounts = {
    "step", "epoch", "iter",     "iteration", "attempt", "restart", "job",  "run", "version",
    "pid",  "try",   "launcher", "evaluator", "part",    "shard",   "seed", "fold"};

struct Task {
  std::size_t role = 0;  // in kRoles
  int number = 0;

  auto operator<=>(const Task&) const = default;
};

std::optional<int> short_number(std::string_view digits) {
  if (digits.empty() || digits.size() > kMaxDigits) return std::nullopt;
  return base::number_in<int>(digits);
}

// "worker-1", "mnist-worker-1_default_tensorflow", "Worker_1", "chief": the role as a word of its own, its
// number directly behind it. Only the file of a chief or a master may have none: "master" is also a branch.
std::optional<Task> task_named(const std::string& name, std::string_view word, std::size_t role,
                               bool is_file) {
  for (std::size_t at = name.rfind(word); at != std::string::npos;
       at = at == 0 ? std::string::npos : name.rfind(word, at - 1)) {
    if (at > 0 && is_in_alphabet(name[at - 1])) continue;
    std::size_t begin = at + word.size();
    const bool has_separator =
        begin < name.size() && std::string_view("-_.").find(name[begin]) != std::string_view::npos;
    if (has_separator) ++begin;
    std::size_t end = begin;
    while (end < name.size() && is_decimal(name[end])) ++end;
    if (const auto number = short_number(std::string_view(name).substr(begin, end - begin)))
      return Task{.role = role, .number = *number};
    const bool is_whole_word = begin == name.size() || has_separator || !is_in_alphabet(name[begin]);
    if (is_file && is_whole_word && end == begin && role < 2) return Task{.role = role, .number = 0};
  }
  return std::nullopt;
}

std::optional<Task> task_in(const std::string& name, bool is_file) {
  for (const std::string_view word : kWorkers) {
    if (const auto task = task_named(name, word, 2, is_file)) return task;
  }
  for (std::size_t role = 0; role < kRoles.size(); ++role) {
    if (const auto task = task_named(name, kRoles[role], role, is_file)) return task;
  }
  return std::nullopt;
}

// The parts of a path, its file first.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (const auto& part : std::filesystem::path(name)) parts.push_back(lower_case(part.string()));
  std::ranges::reverse(parts);
  return parts;
}

std::optional<Task> task_of(const std::vector<std::string>& parts) {
  constexpr std::size_t kMaxFolders = 2;  // "worker-1/pod/main.log"; further up the names are the user's own
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxFolders + 1); ++i) {
    if (const auto task = task_in(parts[i], i == 0)) return task;
  }
  return std::nullopt;
}

// A plain number in a name, and the name with the number taken out.
struct Counted {
  std::string folder;  // where the numbered files or folders lie
  std::string stem;
  int number = 0;
};

bool is_another_count(std::string_view stem) {
  while (!stem.empty() && !is_in_alphabet(stem.back())) stem.remove_suffix(1);
  return std::ranges::any_of(kOtherCounts, [&](std::string_view word) {
    return stem.ends_with(word) &&
           (stem.size() == word.size() || !is_in_alphabet(stem[stem.size() - word.size() - 1]));
  });
}

// Of "train.3.log", "out.3" and "3": the last number, with nothing but an ending behind it.
std::optional<std::pair<std::string, int>> last_number(std::string_view part) {
  std::size_t end = part.size();
  if (const std::size_t dot = part.rfind('.'); dot != std::string_view::npos && dot > 0) {
    const std::string_view ending = part.substr(dot + 1);
    if (!ending.empty() && !std::ranges::all_of(ending, is_decimal)) end = dot;
  }
  std::size_t begin = end;
  while (begin > 0 && is_decimal(part[begin - 1])) --begin;
  const auto number = short_number(part.substr(begin, end - begin));
  if (!number || is_another_count(part.substr(0, begin))) return std::nullopt;
  return std::pair{std::string(part.substr(0, begin)) + "#" + std::string(part.substr(end)), *number};
}

std::optional<Counted> counted_in(const std::vector<std::string>& parts) {
  constexpr std::size_t kMaxFolders = 1;  // "3/stderr"
  for (std::size_t i = 0; i < std::min(parts.size(), kMaxFolders + 1); ++i) {
    const auto found = last_number(parts[i]);
    if (!found) continue;
    Counted counted{.folder = {}, .stem = found->first, .number = found->second};
    if (i != 0) counted.stem += "/" + parts[0];
    for (std::size_t above = i + 1; above < parts.size(); ++above) counted.folder += "/" + parts[above];
    return counted;
  }
  return std::nullopt;
}

void number_tasks(std::span<const std::optional<Task>> tasks, std::vector<std::optional<int>>& ranks) {
  std::array<int, kRoles.size()> count{};
  for (const auto& task : tasks) {
    if (task) count[task->role] = std::max(count[task->role], task->number + 1);
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (ranks[i] || !tasks[i]) continue;
    int before = 0;
    for (std::size_t role = 0; role < tasks[i]->role; ++role) before += count[role];
    ranks[i] = before + tasks[i]->number;
  }
}

// Restarts of one job lie beside each other: "attempt_0/1", "attempt_1/1".
std::string without_attempts(const std::string& folder) {
  std::string without = folder;
  for (std::size_t at = without.find("attempt_"); at != std::string::npos;
       at = without.find("attempt_", at)) {
    at += std::string_view("attempt_").size();
    std::size_t end = at;
    while (end < without.size() && is_decimal(without[end])) ++end;
    without.erase(at, end - at);
  }
  return without;
}

void number_counted(std::span<const std::optional<Counted>> counted, std::vector<std::optional<int>>& ranks) {
  std::map<std::pair<std::string, std::string>, std::set<int>> numbers;  // by folder and stem
  std::set<std::string> folders;
  for (const auto& one : counted) {
    if (!one) continue;
    numbers[{one->folder, one->stem}].insert(one->number);
    folders.insert(without_attempts(one->folder));
  }
  const auto is_from_zero = [](const std::set<int>& group) {
    return group.size() >= 2 && *group.begin() == 0 && *group.rbegin() == static_cast<int>(group.size()) - 1;
  };
  // Two folders that count from 0 each are two hosts.
  const bool is_one_count =
      folders.size() == 1 && !numbers.empty() && std::ranges::all_of(numbers, [&](const auto& entry) {
        return is_from_zero(entry.second) && entry.second.size() == numbers.begin()->second.size();
      });
  if (!is_one_count) return;
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (counted[i]) ranks[i] = counted[i]->number;
  }
}

}  // namespace

std::vector<std::optional<int>> ranks_of_names(std::span<const std::string> names) {
  std::vector<std::optional<int>> ranks(names.size());
  std::vector<std::optional<Task>> tasks(names.size());
  std::vector<std::optional<Counted>> counted(names.size());
  bool has_task = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const RankInName told = rank_in_name(names[i]);
    if (told.rank && !told.is_guess) {
      ranks[i] = told.rank;
      continue;
    }
    const std::vector<std::string> parts = parts_of(names[i]);
    tasks[i] = task_of(parts);
    if (!tasks[i]) counted[i] = counted_in(parts);
    has_task = has_task || tasks[i];
  }
  number_tasks(tasks, ranks);
  const bool is_told =
      has_task || std::ranges::any_of(ranks, [](const auto& rank) { return rank.has_value(); });
  if (!is_told) number_counted(counted, ranks);
  return ranks;
}

}  // namespace lockstep::readers
