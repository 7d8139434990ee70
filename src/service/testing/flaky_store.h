// A store in a folder that a test takes away and brings back, and that can be one of several services'.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/store/open_store.h"
#include "service/store/store.h"

namespace lockstep::service {

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
