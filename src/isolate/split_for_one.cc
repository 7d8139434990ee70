#include "isolate/split_for_one.h"

namespace lockstep::isolate {

Error cannot_reduce(std::string_view where, std::string_view why) {
  return {"cannot reduce the command to one rank", std::string(where), std::string(why),
          "give the command that starts one rank, as in 'lockstep isolate -- python train.py'"};
}

Result<SplitForOne> split_for_one(std::span<const std::string> words, const config::LauncherTable& table) {
  auto read = config::split_command(words, table);
  if (!read.ok()) return cannot_reduce(read.error().where, read.error().why);
  SplitForOne split;
  split.program = std::move(read.value().program);
  for (const config::TypedFlag& flag : read.value().flags) {
    if (flag.flag->fate == config::Fate::kRefuse) return cannot_reduce(flag.words.front(), flag.flag->why);
    Words& target = flag.flag->fate == config::Fate::kKeep ? split.kept : split.dropped;
    target.insert(target.end(), flag.words.begin(), flag.words.end());
  }
  if (split.program.empty()) return cannot_reduce(table.launcher, "it names no program to run");
  return split;
}

}  // namespace lockstep::isolate
