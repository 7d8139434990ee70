// usage: witness_program RECORDING [--native] RANK:PID...
// What a watcher does when it sees a fault: collects, keeps, and prints the account and how long it took.
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/text_fields.h"
#include "run/evidence/account_json.h"
#include "run/evidence/collect.h"
#include "run/evidence/keep.h"

namespace {

using lockstep::base::Json;
using lockstep::base::number_in;

std::optional<lockstep::evidence::Subject> parse_subject(std::string_view word) {
  const auto rank = number_in<int>(lockstep::base::word_of(word, ':'));
  const auto pid = number_in<pid_t>(lockstep::base::rest_after(word, ":"));
  if (!rank || !pid) return std::nullopt;
  return lockstep::evidence::Subject{.rank = *rank < 0 ? std::nullopt : rank, .restart = 0, .pid = *pid};
}

}  // namespace

int main(int argc, char** argv) {
  lockstep::evidence::Request request;
  for (int at = 2; at < argc; ++at) {
    const std::string_view word = argv[at];
    request.wants_native_stacks |= word == "--native";
    if (const auto subject = parse_subject(word)) request.subjects.push_back(*subject);
  }
  if (argc < 2) return 2;
  const auto begin = std::chrono::steady_clock::now();
  request.host_at_begin = lockstep::hostinfo::read_host_state({});
  const auto asked = std::chrono::steady_clock::now();
  const lockstep::evidence::Account account = lockstep::evidence::collect(request);
  const auto end = std::chrono::steady_clock::now();
  const auto kept = lockstep::evidence::keep(account, argv[1]);
  if (!kept.ok()) {
    std::fprintf(stderr, "%s: %s: %s\n", kept.error().what.c_str(), kept.error().where.c_str(),
                 kept.error().why.c_str());
    return 2;
  }
  Json told = to_json(account);
  told["begin_s"] = std::chrono::duration<double>(asked - begin).count();
  told["collect_s"] = std::chrono::duration<double>(end - asked).count();
  std::puts(to_text(told, lockstep::base::JsonLayout::kIndented).c_str());
  return 0;
}
