// An engine without processes: a test says how attempts stand and how they end, and sees what was asked.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "service/engine/engine.h"

namespace lockstep::service {

class FakeEngine : public Engine {
 public:
  using Name = std::pair<std::string, int>;  // job and attempt

  using Engine::Engine;

  Result<pid_t> start(const Job& job, const Attempt& attempt) override {
    std::filesystem::create_directories(folder_of(job.id, attempt.number).ranks());
    if (cannot_start) return *cannot_start;
    started.push_back({job.id, attempt.number});
    standings[started.back()] = Standing::kAtWork;
    return 1;
  }
  Result<pid_t> adopt(const Job& job, const Attempt& attempt) override {
    if (cannot_start) return *cannot_start;
    adopted.push_back({job.id, attempt.number});
    return 1;
  }
  bool is_running(pid_t supervisor) override { return living.contains(supervisor); }
  Standing standing(const std::string& job_id, int attempt) const override {
    const auto found = standings.find({job_id, attempt});
    return found == standings.end() ? Standing::kNotBegun : found->second;
  }
  void ask_to_end(const std::string& job_id, int attempt) override { asked.push_back({job_id, attempt}); }
  void remove(const std::string& job_id) override { removed.push_back(job_id); }

  // As its supervisor writes it down.
  void end(const Name& name, int status, std::int64_t at_ms, EndReason reason = {},
           base::Json findings = {}) {
    const base::Json json = {{"succeeded", status == 0},        {"exit_status", status},
                             {"reason", reason.text},           {"end_kind", word_for(reason.kind)},
                             {"findings", std::move(findings)}, {"ended_ms", at_ms}};
    static_cast<void>(base::write_file(folder_of(name.first, name.second).end(),
                                       base::to_text(json, base::JsonLayout::kOneLine))
                          .ok());
    standings[name] = Standing::kEnded;
  }

  std::optional<Error> cannot_start = {};  // what starting and adopting give
  std::set<pid_t> living;                  // supervisors; of others, how the attempt stands tells all
  std::map<Name, Standing> standings;
  std::vector<Name> started;
  std::vector<Name> adopted;
  std::vector<Name> asked;
  std::vector<std::string> removed;
};

}  // namespace lockstep::service
