#include "service/store/sqlite_store.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "service/job/job_id.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

class SqliteStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lockstep_store_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  SqliteStore opened() {
    auto store = SqliteStore::open(folder_);
    EXPECT_TRUE(store.ok());
    return std::move(store).value();
  }
  static Job job(std::int64_t at_ms, const std::string& owner = "ann") {
    Job job;
    job.id = make_job_id(at_ms);
    job.owner = owner;
    job.created_ms = at_ms;
    job.spec.script = "train.py";
    job.spec.workers_min = job.spec.workers_max = 2;
    return job;
  }
  static Event queued(const Job& job) { return {0, job.id, job.created_ms, "queued", ""}; }
  static Result<std::vector<Admitted>> try_to_add(SqliteStore& store, const Job& job,
                                                  const std::optional<IdempotencyKey>& key) {
    const NewJob one{job, queued(job), key};
    return store.add({&one, 1});
  }
  static void add(SqliteStore& store, const Job& job) { ASSERT_TRUE(try_to_add(store, job, {}).ok()); }

  fs::path folder_;
};

TEST_F(SqliteStoreTest, WhatWasAddedIsThereForTheNextService) {
  Job made = job(1000);
  made.spec.environment = {{"TOKEN", "hunter2"}};
  made.per_worker = {500, 7, 1};
  made.choices = {{"framework", "pytorch", "line 1 imports torch"}};
  {
    SqliteStore store = opened();
    add(store, made);
  }
  SqliteStore store = opened();
  const auto found = store.job(made.id);
  ASSERT_TRUE(found.ok() && found.value().has_value());
  EXPECT_EQ(found.value()->spec.environment, made.spec.environment);
  EXPECT_EQ(found.value()->per_worker, made.per_worker);
  EXPECT_EQ(found.value()->choices.front().reason, "line 1 imports torch");
  EXPECT_EQ(store.unfinished().value().size(), 1U);
}

TEST_F(SqliteStoreTest, SecretsAreNotOnTheDisk) {
  Job made = job(1000);
  made.spec.environment = {{"TOKEN", "hunter2-hunter2"}};
  SqliteStore store = opened();
  add(store, made);
  for (const auto& file : fs::directory_iterator(folder_)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(bytes.find("hunter2-hunter2"), std::string::npos) << file.path();
  }
  EXPECT_EQ(fs::status(folder_ / "key").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SqliteStoreTest, AKeyMakesOneJob) {
  SqliteStore store = opened();
  const Job first = job(1000);
  const Job second = job(1001);
  const IdempotencyKey key{"k", "hash"};
  EXPECT_EQ(try_to_add(store, first, key).value()[0].admission, Admission::kAdded);
  const auto again = try_to_add(store, second, key);
  EXPECT_EQ(again.value()[0].admission, Admission::kKnown);
  EXPECT_EQ(again.value()[0].job_id, first.id);
  EXPECT_EQ(try_to_add(store, second, IdempotencyKey{"k", "other"}).value()[0].admission,
            Admission::kOtherBody);
  EXPECT_FALSE(store.job(second.id).value().has_value());
}

TEST_F(SqliteStoreTest, JobsThatComeTogetherAreAllThereOrNone) {
  SqliteStore store = opened();
  const Job first = job(1000);
  const Job second = job(1001);
  const Job repeated = job(1002);
  const IdempotencyKey key{"k", "hash"};
  const std::vector<NewJob> sound = {
      {first, queued(first), key}, {second, queued(second), {}}, {repeated, queued(repeated), key}};
  const auto admitted = store.add(sound);
  ASSERT_TRUE(admitted.ok());
  EXPECT_EQ(admitted.value()[1].admission, Admission::kAdded);
  EXPECT_EQ(admitted.value()[2].admission, Admission::kKnown);
  EXPECT_EQ(admitted.value()[2].job_id, first.id);
  EXPECT_EQ(store.unfinished().value().size(), 2U);
  const Job third = job(1003);
  const std::vector<NewJob> with_one_twice = {{third, queued(third), {}}, {second, queued(second), {}}};
  EXPECT_FALSE(store.add(with_one_twice).ok());
  EXPECT_FALSE(store.job(third.id).value().has_value());
}

TEST_F(SqliteStoreTest, TheKeyOfAnotherUserIsAnotherKey) {
  SqliteStore store = opened();
  const Job first = job(1000);
  const Job second = job(1001, "bob");
  const IdempotencyKey key{"k", "hash"};
  ASSERT_TRUE(try_to_add(store, first, key).ok());
  EXPECT_EQ(try_to_add(store, second, key).value()[0].admission, Admission::kAdded);
}

TEST_F(SqliteStoreTest, AKeyIsForgottenAfterADay) {
  SqliteStore store = opened();
  const Job first = job(1000);
  const Job later = job(1001 + 24LL * 3600 * 1000);
  const IdempotencyKey key{"k", "hash"};
  ASSERT_TRUE(try_to_add(store, first, key).ok());
  EXPECT_EQ(try_to_add(store, later, key).value()[0].admission, Admission::kAdded);
}

TEST_F(SqliteStoreTest, PagesFollowOneAnotherWithoutGapsOrRepeats) {
  SqliteStore store = opened();
  for (int i = 0; i < 7; ++i) add(store, job(1000 + i, i % 2 == 0 ? "ann" : "bob"));
  std::vector<std::string> seen;
  JobFilter filter;
  filter.limit = 3;
  for (;;) {
    const auto page = store.jobs(filter).value();
    if (page.empty()) break;
    for (const Job& one : page) seen.push_back(one.id);
    filter.after_id = page.back().id;
  }
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_TRUE(std::is_sorted(seen.rbegin(), seen.rend()));
  filter = {};
  filter.owner = "bob";
  EXPECT_EQ(store.jobs(filter).value().size(), 3U);
}

TEST_F(SqliteStoreTest, JobsAreFoundByLabelAndState) {
  SqliteStore store = opened();
  Job labelled = job(1000);
  labelled.spec.labels = {{"team's", "a\"b"}};
  add(store, labelled);
  add(store, job(1001));
  JobFilter filter;
  filter.label = {"team's", "a\"b"};
  ASSERT_EQ(store.jobs(filter).value().size(), 1U);
  filter = {};
  filter.state = JobState::kFailed;
  EXPECT_TRUE(store.jobs(filter).value().empty());
}

TEST_F(SqliteStoreTest, AChangeIsWhole) {
  SqliteStore store = opened();
  Job one = job(1000);
  one.spec.environment = {{"A", "b"}};
  add(store, one);
  one.state = JobState::kFailed;
  Attempt attempt{.job_id = one.id, .number = 1};
  attempt.first_failed_rank = 1;
  attempt.ranks = {{.rank = 1, .exit_status = 7, .last_lines = {"boom"}}};
  ASSERT_TRUE(store.apply({one, attempt, Event{0, one.id, 5, "failed", "rank 1"}}).ok());
  const auto attempts = store.attempts(one.id).value();
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].first_failed_rank, 1);
  EXPECT_EQ(attempts[0].ranks[0].exit_status, 7);
  EXPECT_TRUE(store.unfinished().value().empty());
  EXPECT_TRUE(store.job(one.id).value()->spec.environment.empty());  // a job that is over needs no secrets
  const auto events = store.events(one.id, 0, 10).value();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(store.events(one.id, events[0].sequence, 10).value().size(), 1U);
}

TEST_F(SqliteStoreTest, OldJobsAreThoseThatWereOverLongAgo) {
  SqliteStore store = opened();
  Job old = job(1000);
  Job long_one = job(1000);  // as old, but it ended a moment ago
  Job waiting = job(1000);
  for (const Job& one : {old, long_one, waiting}) add(store, one);
  old.state = long_one.state = JobState::kSucceeded;
  old.ended_ms = 2000;
  long_one.ended_ms = 9000;
  ASSERT_TRUE(store.apply({old, {}, {}}).ok() && store.apply({long_one, {}, {}}).ok());
  EXPECT_EQ(store.over_before(5000, 10).value(), std::vector<std::string>{old.id});
  EXPECT_EQ(store.over_before(9001, 10).value().size(), 2u);
  EXPECT_EQ(store.over_before(9001, 1).value().size(), 1u);
  EXPECT_TRUE(store.over_before(1500, 10).value().empty());
}

TEST_F(SqliteStoreTest, RemovingTakesAttemptsAndEventsAlong) {
  SqliteStore store = opened();
  const Job one = job(1000);
  add(store, one);
  ASSERT_TRUE(store.apply({one, Attempt{.job_id = one.id, .number = 1}, {}}).ok());
  ASSERT_TRUE(store.remove(one.id).ok());
  EXPECT_FALSE(store.job(one.id).value().has_value());
  EXPECT_TRUE(store.attempts(one.id).value().empty());
  EXPECT_TRUE(store.events(one.id, 0, 10).value().empty());
}

TEST_F(SqliteStoreTest, ADamagedFileIsAnError) {
  std::ofstream(folder_ / "jobs.db") << "this is no database, however long the text may be that stands here";
  EXPECT_FALSE(SqliteStore::open(folder_).ok());
}

}  // namespace
}  // namespace lockstep::service
