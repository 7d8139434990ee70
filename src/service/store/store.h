// Where jobs are kept. What a call has accepted survives the end of this process, whatever ends it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "service/job/job.h"

namespace lockstep::service {

// What lets somebody in over the network: stored as a hash, so that the store tells nobody how to come in.

struct Token {
  std::string id = {};     // "tok_3f9a..."; names it without giving it away
  std::string hash = {};   // SHA-256 of its text, which is random enough for that
  std::string owner = {};  // whose jobs its bearer sees
  bool may_read = false;
  bool may_submit = false;
  bool is_admin = false;  // sees and ends everybody's jobs
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;
};

struct IdempotencyKey {
  std::string key;
  std::string body_hash;
};

enum class Admission : std::uint8_t { kAdded, kKnown, kOtherBody };

struct Admitted {
  Admission admission = Admission::kAdded;
  std::string job_id;  // of the job that is there now
};

struct NewJob {
  Job job;
  Event event;
  std::optional<IdempotencyKey> key;
};

struct JobFilter {
  std::optional<std::string> owner;  // none: everyone's
  std::optional<JobState> state;
  std::optional<std::pair<std::string, std::string>> label;
  std::string after_id;  // newest first, from the one before this
  int limit = 50;
};

// What belongs together is written together. A change whose version of the job the store has already is
// there: to write it again does nothing.
struct Change {
  Job job;
  std::optional<Attempt> attempt;
  std::optional<Event> event;
};

class Store {
 public:
  virtual ~Store() = default;

  // Where several services share a store, a job is of the one that took it: no other one starts, changes or
  // forgets it. Empty: there is but one.
  virtual const std::string& service() const = 0;

  // One write to the disk for all of them: all are there afterwards, or an error and none. A key that was
  // used before with the same body, here or ever, gives the job that was made then.
  virtual Result<std::vector<Admitted>> add(std::span<const NewJob> jobs) = 0;
  virtual Result<void> apply(const Change& change) = 0;
  virtual Result<void> remove(const std::string& job_id) = 0;

  virtual Result<std::optional<Job>> job(const std::string& id) = 0;
  virtual Result<std::vector<Job>> jobs(const JobFilter& filter) = 0;
  virtual Result<std::vector<Job>> unfinished() = 0;  // of ours, oldest first
  // Names of ours that were over before this time.
  virtual Result<std::vector<std::string>> over_before(std::int64_t ms, int limit) = 0;
  virtual Result<std::vector<Attempt>> attempts(const std::string& job_id) = 0;
  virtual Result<std::vector<Event>> events(const std::string& job_id, std::int64_t after, int limit) = 0;

  // For the service whose job it is, which finds the wish among those for its own.
  virtual Result<void> ask_to_cancel(const std::string& job_id) = 0;
  virtual Result<std::vector<std::string>> cancels_asked() = 0;

  virtual Result<void> add_token(const Token& token) = 0;
  virtual Result<bool> remove_token(const std::string& id) = 0;  // whether it was there
  virtual Result<std::vector<Token>> tokens() = 0;
  virtual Result<std::optional<Token>> token_with_hash(const std::string& hash) = 0;

  virtual Result<void> check_writable() = 0;
  virtual bool is_reachable() const = 0;  // as far as the last call could tell
};

// Changes on their way into the store. One that it cannot take now waits here with those behind it, in their
// order, until it can.
class Outbox {
 public:
  // An error: it was not written yet, and will be.
  Result<void> write(Store& store, Change change) {
    changes_.push_back(std::move(change));
    return write_all(store);
  }

  Result<void> write_all(Store& store) {
    for (; !changes_.empty(); changes_.pop_front()) TRY(store.apply(changes_.front()));
    return {};
  }

  bool is_empty() const { return changes_.empty(); }

 private:
  std::deque<Change> changes_;
};

}  // namespace lockstep::service
