#include "launchers/one_rank.h"

#include <algorithm>

#include "launchers/launcher.h"

namespace lockstep::launchers {
namespace {

Launched split_at(std::span<const std::string> words, std::size_t head) {
  return {Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(head)), words.subspan(head)};
}

}  // namespace

Result<void> reduce_command(std::span<const std::string> words, const Launch& launch, Control& control) {
  if (words.empty()) return cannot_reduce("", "there is no program to run");
  if (const auto found = find_launcher(words)) {
    return found->launcher->reduce(split_at(words, found->head), launch, control);
  }
  if (const std::size_t end = words_of_wrapper(words); end > 0) {
    return reduce_wrapped(split_at(words, end), launch, control);
  }
  const bool is_launched = !control.launcher.empty();
  if (!is_launched) return reduce_plain(words, launch, control);
  append(control.command, words);
  return {};
}

Error cannot_reduce(std::string_view where, std::string_view why) {
  return {"cannot reduce the command to one rank", std::string(where), std::string(why),
          "give the command that starts one rank, as in 'lockstep isolate -- python train.py'"};
}

Result<SplitForOne> split_for_one(std::span<const std::string> words, const LauncherTable& table) {
  auto read = split_command(words, table);
  if (!read.ok()) return cannot_reduce(read.error().where, read.error().why);
  SplitForOne split;
  split.program = std::move(read.value().program);
  for (const TypedFlag& flag : read.value().flags) {
    if (flag.flag->fate == Fate::kRefuse) return cannot_reduce(flag.words.front(), flag.flag->why);
    Words& target = flag.flag->fate == Fate::kKeep ? split.kept : split.dropped;
    target.insert(target.end(), flag.words.begin(), flag.words.end());
  }
  if (split.program.empty()) return cannot_reduce(table.launcher, "it names no program to run");
  return split;
}

void append(Words& words, std::span<const std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
}
void append(Words& words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
}

void add_launcher(Control& control, std::string_view name) {
  if (!control.launcher.empty()) control.launcher += " and ";
  control.launcher += name;
}

void add_changes(Control& control, const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    std::erase_if(control.changes, [&](const Change& earlier) { return earlier.name == change.name; });
    control.changes.push_back(change);
  }
}

std::vector<Change> that_matter(std::vector<Change> changes, const Environment& environment) {
  std::erase_if(changes, [&](const Change& change) {
    const auto now = environment.find(change.name);
    if (now == environment.end()) return !change.value.has_value();
    return change.value == now->second;
  });
  return changes;
}

}  // namespace lockstep::launchers
