// What surrounds the service, for its tests: a clock that a test sets, an engine without processes, a store
// that goes away.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "service/clock.h"
#include "service/engine/engine.h"
#include "service/store/open_store.h"
#include "service/store/store.h"

namespace lockstep::service {

class FakeClock : public ServiceClock {
 public:
  Point now() const override {
    now_ += per_look;
    return now_;
  }
  std::int64_t wall_ms() const override { return wall_ms_; }

  void advance(std::chrono::milliseconds time) {
    now_ += time;
    wall_ms_ += time.count();
  }

  std::chrono::milliseconds per_look{0};  // what a look at it takes: work is as long as it looks often

 private:
  mutable Point now_ = Point(std::chrono::hours(1));
  std::int64_t wall_ms_ = now_in_ms();  // names of jobs carry the real time
};

// An engine without processes: a test says how attempts stand and how they end, and sees what was asked.
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
  Result<Standing> standing(const std::string& job_id, int attempt) const override {
    if (cannot_tell) return *cannot_tell;
    const auto found = standings.find({job_id, attempt});
    return found == standings.end() ? Standing::kNotBegun : found->second;
  }
  Result<void> ask_to_end(const std::string& job_id, int attempt) override {
    if (cannot_tell) return *cannot_tell;
    asked.push_back({job_id, attempt});
    return {};
  }
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
  std::optional<Error> cannot_tell = {};   // what is said of how an attempt stands
  std::set<pid_t> living;                  // supervisors; of others, how the attempt stands tells all
  std::map<Name, Standing> standings;
  std::vector<Name> started;
  std::vector<Name> adopted;
  std::vector<Name> asked;
  std::vector<std::string> removed;
};

// A store in a folder that a test takes away and brings back, and that can be one of several services'.
class FlakyStore : public Store {
 public:
  explicit FlakyStore(const std::filesystem::path& folder) : store_(open_store({folder}).value()) {}

  bool is_away = false;
  bool loses_answers = false;                     // what is added is there, but nobody hears of it
  std::string name = {};                          // of the service
  std::vector<std::string> asked_to_cancel = {};  // by others
  int looks_for_wishes = 0;

  const std::string& service() const override { return name; }
  Result<std::vector<Admitted>> add(std::span<const NewJob> jobs) override {
    if (is_away) return away();
    auto added = store_->add(jobs);
    if (loses_answers) return away();
    return added;
  }
  Result<void> apply(const Change& change) override { return is_away ? away() : store_->apply(change); }
  Result<void> remove(const std::string& id) override { return is_away ? away() : store_->remove(id); }
  Result<std::optional<Job>> job(const std::string& id) override {
    if (is_away) return away();
    auto found = store_->job(id);
    if (found.ok() && found.value()) found.value()->service = name;
    return found;
  }
  Result<std::vector<Job>> jobs(const JobFilter& filter) override { return store_->jobs(filter); }
  Result<std::vector<Job>> unfinished() override {
    if (is_away) return away();
    return store_->unfinished();
  }
  Result<std::vector<std::string>> over_before(std::int64_t ms, int limit) override {
    return store_->over_before(ms, limit);
  }
  Result<std::vector<Attempt>> attempts(const std::string& id) override { return store_->attempts(id); }
  Result<std::vector<Event>> events(const std::string& id, std::int64_t after, int limit) override {
    return store_->events(id, after, limit);
  }
  Result<void> ask_to_cancel(const std::string& id) override { return store_->ask_to_cancel(id); }
  Result<std::vector<std::string>> cancels_asked() override {
    ++looks_for_wishes;
    return asked_to_cancel;
  }
  Result<void> add_token(const Token& token) override { return store_->add_token(token); }
  Result<bool> remove_token(const std::string& id) override { return store_->remove_token(id); }
  Result<std::vector<Token>> tokens() override { return store_->tokens(); }
  Result<std::optional<Token>> token_with_hash(const std::string& hash) override {
    return store_->token_with_hash(hash);
  }
  Result<void> check_writable() override { return store_->check_writable(); }
  bool is_reachable() const override { return !is_away; }

 private:
  static Error away() { return {"cannot use the job store", "", "it is away", ""}; }

  std::unique_ptr<Store> store_;
};

}  // namespace lockstep::service
