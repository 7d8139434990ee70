#include "service/store/store.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "service/job/job.h"
#include "service/store/open_store.h"
#include "service/store/postgres_for_tests.h"
#include "service/store/sqlite.h"
#include "service/testing/fakes.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

enum class Kind : std::uint8_t { kSqlite, kPostgres };

// For the names of the tests.
void PrintTo(Kind kind, std::ostream* out) {
  *out << (kind == Kind::kSqlite ? "Sqlite" : "Postgres");
}

class StoreTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lockstep_store_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    if (GetParam() == Kind::kPostgres) postgres_server().run("DROP SCHEMA IF EXISTS lockstep CASCADE");
  }
  void TearDown() override { fs::remove_all(folder_); }

  StorePlace place() const {
    return {folder_, GetParam() == Kind::kPostgres ? postgres_server().address() : ""};
  }
  fs::path disk() const {
    return GetParam() == Kind::kPostgres ? fs::path(postgres_server().data()) : folder_;
  }
  std::unique_ptr<Store> opened() const {
    auto store = claim_store(place());
    EXPECT_TRUE(store.ok()) << store.error().why;
    return std::move(store).value();
  }
  std::unique_ptr<Database> database() const {
    if (GetParam() == Kind::kPostgres) return PostgresDatabase::open(place().address).value();
    return SqliteDatabase::open(folder_ / "jobs.db").value();
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
  static Result<std::vector<Admitted>> try_to_add(Store& store, const Job& job,
                                                  const std::optional<IdempotencyKey>& key) {
    const NewJob one{job, queued(job), key};
    return store.add({&one, 1});
  }
  static void add(Store& store, const Job& job) { ASSERT_TRUE(try_to_add(store, job, {}).ok()); }

  fs::path folder_;
};

TEST_P(StoreTest, WhatWasAddedIsThereForTheNextService) {
  Job made = job(1000);
  made.spec.environment = {{"TOKEN", "hunter2"}};
  made.per_worker = {500, 7, 1};
  made.choices = {{"framework", "pytorch", "line 1 imports torch"}};
  {
    const std::unique_ptr<Store> store = opened();
    add(*store, made);
  }
  const std::unique_ptr<Store> store = opened();
  const auto found = store->job(made.id);
  ASSERT_TRUE(found.ok() && found.value().has_value());
  EXPECT_EQ(found.value()->spec.environment, made.spec.environment);
  EXPECT_EQ(found.value()->per_worker, made.per_worker);
  EXPECT_EQ(found.value()->choices.front().reason, "line 1 imports torch");
  EXPECT_EQ(store->unfinished().value().size(), 1U);
}

TEST_P(StoreTest, SecretsAreNotOnTheDisk) {
  Job made = job(1000);
  made.spec.environment = {{"TOKEN", "hunter2-hunter2"}};
  const std::unique_ptr<Store> store = opened();
  add(*store, made);
  for (const auto& file : fs::recursive_directory_iterator(disk())) {
    if (!file.is_regular_file()) continue;
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(bytes.find("hunter2-hunter2"), std::string::npos) << file.path();
  }
  EXPECT_EQ(fs::status(folder_ / "key").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_P(StoreTest, AKeyMakesOneJob) {
  const std::unique_ptr<Store> store = opened();
  const Job first = job(1000);
  const Job second = job(1001);
  const IdempotencyKey key{"k", "hash"};
  EXPECT_EQ(try_to_add(*store, first, key).value()[0].admission, Admission::kAdded);
  const auto again = try_to_add(*store, second, key);
  EXPECT_EQ(again.value()[0].admission, Admission::kKnown);
  EXPECT_EQ(again.value()[0].job_id, first.id);
  EXPECT_EQ(try_to_add(*store, second, IdempotencyKey{"k", "other"}).value()[0].admission,
            Admission::kOtherBody);
  EXPECT_FALSE(store->job(second.id).value().has_value());
}

TEST_P(StoreTest, JobsThatComeTogetherAreAllThereOrNone) {
  const std::unique_ptr<Store> store = opened();
  const Job first = job(1000);
  const Job second = job(1001);
  const Job repeated = job(1002);
  const IdempotencyKey key{"k", "hash"};
  const std::vector<NewJob> sound = {
      {first, queued(first), key}, {second, queued(second), {}}, {repeated, queued(repeated), key}};
  const auto admitted = store->add(sound);
  ASSERT_TRUE(admitted.ok());
  EXPECT_EQ(admitted.value()[1].admission, Admission::kAdded);
  EXPECT_EQ(admitted.value()[2].admission, Admission::kKnown);
  EXPECT_EQ(admitted.value()[2].job_id, first.id);
  EXPECT_EQ(store->unfinished().value().size(), 2U);
  const Job third = job(1003);
  const std::vector<NewJob> with_one_twice = {{third, queued(third), {}}, {second, queued(second), {}}};
  EXPECT_FALSE(store->add(with_one_twice).ok());
  EXPECT_FALSE(store->job(third.id).value().has_value());
}

TEST_P(StoreTest, TheKeyOfAnotherUserIsAnotherKey) {
  const std::unique_ptr<Store> store = opened();
  const Job first = job(1000);
  const Job second = job(1001, "bob");
  const IdempotencyKey key{"k", "hash"};
  ASSERT_TRUE(try_to_add(*store, first, key).ok());
  EXPECT_EQ(try_to_add(*store, second, key).value()[0].admission, Admission::kAdded);
}

TEST_P(StoreTest, AKeyIsForgottenAfterADay) {
  const std::unique_ptr<Store> store = opened();
  const Job first = job(1000);
  const Job later = job(1001 + 24LL * 3600 * 1000);
  const IdempotencyKey key{"k", "hash"};
  ASSERT_TRUE(try_to_add(*store, first, key).ok());
  EXPECT_EQ(try_to_add(*store, later, key).value()[0].admission, Admission::kAdded);
}

TEST_P(StoreTest, PagesFollowOneAnotherWithoutGapsOrRepeats) {
  const std::unique_ptr<Store> store = opened();
  for (int i = 0; i < 7; ++i) add(*store, job(1000 + i, i % 2 == 0 ? "ann" : "bob"));
  std::vector<std::string> seen;
  JobFilter filter;
  filter.limit = 3;
  for (;;) {
    const auto page = store->jobs(filter).value();
    if (page.empty()) break;
    for (const Job& one : page) seen.push_back(one.id);
    filter.after_id = page.back().id;
  }
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_TRUE(std::is_sorted(seen.rbegin(), seen.rend()));
  filter = {};
  filter.owner = "bob";
  EXPECT_EQ(store->jobs(filter).value().size(), 3U);
}

TEST_P(StoreTest, JobsAreFoundByLabelAndState) {
  const std::unique_ptr<Store> store = opened();
  Job labelled = job(1000);
  labelled.spec.labels = {{"team's", "a\"b"}};
  add(*store, labelled);
  add(*store, job(1001));
  JobFilter filter;
  filter.label = {"team's", "a\"b"};
  ASSERT_EQ(store->jobs(filter).value().size(), 1U);
  filter = {};
  filter.state = JobState::kFailed;
  EXPECT_TRUE(store->jobs(filter).value().empty());
}

TEST_P(StoreTest, AChangeIsWhole) {
  const std::unique_ptr<Store> store = opened();
  Job one = job(1000);
  one.spec.environment = {{"A", "b"}};
  add(*store, one);
  one.state = JobState::kFailed;
  ++one.version;
  Attempt attempt{.job_id = one.id, .number = 1};
  attempt.first_failed_rank = 1;
  attempt.ranks = {{.rank = 1, .exit_status = 7, .last_lines = {"boom"}}};
  ASSERT_TRUE(store->apply({one, attempt, Event{0, one.id, 5, "failed", "rank 1"}}).ok());
  const auto attempts = store->attempts(one.id).value();
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].first_failed_rank, 1);
  EXPECT_EQ(attempts[0].ranks[0].exit_status, 7);
  EXPECT_TRUE(store->unfinished().value().empty());
  EXPECT_TRUE(store->job(one.id).value()->spec.environment.empty());  // a job that is over needs no secrets
  const auto events = store->events(one.id, 0, 10).value();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(store->events(one.id, events[0].sequence, 10).value().size(), 1U);
}

TEST_P(StoreTest, OldJobsAreThoseThatWereOverLongAgo) {
  const std::unique_ptr<Store> store = opened();
  Job old = job(1000);
  Job long_one = job(1000);  // as old, but it ended a moment ago
  Job waiting = job(1000);
  for (const Job& one : {old, long_one, waiting}) add(*store, one);
  old.state = long_one.state = JobState::kSucceeded;
  old.ended_ms = 2000;
  long_one.ended_ms = 9000;
  old.version = long_one.version = 2;
  ASSERT_TRUE(store->apply({old, {}, {}}).ok() && store->apply({long_one, {}, {}}).ok());
  EXPECT_EQ(store->over_before(5000, 10).value(), std::vector<std::string>{old.id});
  EXPECT_EQ(store->over_before(9001, 10).value().size(), 2u);
  EXPECT_EQ(store->over_before(9001, 1).value().size(), 1u);
  EXPECT_TRUE(store->over_before(1500, 10).value().empty());
}

TEST_P(StoreTest, RemovingTakesAttemptsAndEventsAlong) {
  const std::unique_ptr<Store> store = opened();
  Job one = job(1000);
  add(*store, one);
  ++one.version;
  ASSERT_TRUE(store->apply({one, Attempt{.job_id = one.id, .number = 1}, {}}).ok());
  ASSERT_TRUE(store->remove(one.id).ok());
  EXPECT_FALSE(store->job(one.id).value().has_value());
  EXPECT_TRUE(store->attempts(one.id).value().empty());
  EXPECT_TRUE(store->events(one.id, 0, 10).value().empty());
}

TEST_P(StoreTest, AChangeThatIsThereIsNotMadeAgain) {
  const std::unique_ptr<Store> store = opened();
  Job one = job(1000);
  add(*store, one);
  ++one.version;
  const Change change{one, {}, Event{0, one.id, 5, "started", ""}};
  ASSERT_TRUE(store->apply(change).ok() && store->apply(change).ok());
  EXPECT_EQ(store->events(one.id, 0, 10).value().size(), 2U);
}

TEST_P(StoreTest, AnyTextCanBeKept) {
  const std::unique_ptr<Store> store = opened();
  Job odd = job(1000);
  odd.spec.labels = {{std::string("a\0b", 3), "\xff"}};
  odd.spec.files = {{"data", std::string("\0\xfe", 2)}};
  const IdempotencyKey key{"\x80\xff", "hash"};
  ASSERT_TRUE(try_to_add(*store, odd, key).ok());
  ++odd.version;
  ASSERT_TRUE(store->apply({odd, {}, Event{0, odd.id, 5, "failed", std::string("\0\xff?", 3)}}).ok());
  JobFilter filter;
  filter.label = {std::string("a\0b", 3), "\xff"};
  EXPECT_EQ(store->jobs(filter).value().size(), 1U);
  EXPECT_EQ(store->events(odd.id, 0, 10).value().size(), 2U);
  EXPECT_EQ(store->job(odd.id).value()->spec.files, odd.spec.files);
}

TEST_P(StoreTest, TheFirstTablesBecomeThoseOfToday) {
  Job labelled = job(1000);
  labelled.spec.labels = {{"team", "a"}};
  labelled.ended_ms = 2000;
  add(*opened(), labelled);
  ASSERT_TRUE(database()
                  ->run_script("DROP TABLE cancels; DROP TABLE labels; ALTER TABLE jobs DROP COLUMN service;"
                               "ALTER TABLE jobs DROP COLUMN version; ALTER TABLE jobs DROP COLUMN ended_ms")
                  .ok());
  ASSERT_TRUE(database()->set_schema_version(1).ok());
  const std::unique_ptr<Store> store = opened();
  JobFilter filter;
  filter.label = {"team", "a"};
  EXPECT_EQ(store->jobs(filter).value().size(), 1U);
  labelled.state = JobState::kFailed;
  ++labelled.version;
  ASSERT_TRUE(store->apply({labelled, {}, {}}).ok());
  EXPECT_EQ(store->jobs(filter).value().at(0).state, JobState::kFailed);
}

TEST_P(StoreTest, TablesOfALaterProgramAreLeftAlone) {
  opened();
  ASSERT_TRUE(database()->set_schema_version(99).ok());
  EXPECT_FALSE(claim_store(place()).ok());
}

TEST_P(StoreTest, ItCanBeWritten) {
  EXPECT_TRUE(opened()->check_writable().ok());
}

INSTANTIATE_TEST_SUITE_P(InSqlite, StoreTest, ::testing::Values(Kind::kSqlite));
INSTANTIATE_TEST_SUITE_P(InPostgres, StoreTest, ::testing::Values(Kind::kPostgres));

class OutboxTest : public ::testing::Test {
 protected:
  OutboxTest() {
    std::string name = "/tmp/lockstep-outbox-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    store_ = std::make_unique<FlakyStore>(folder_);
    job_.id = make_job_id(1000);
    job_.spec.command = {"true"};
    const NewJob added{job_, Event{0, job_.id, 1000, "queued", ""}, {}};
    EXPECT_TRUE(store_->add({&added, 1}).ok());
  }
  ~OutboxTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  bool write(const std::string& kind) {
    ++job_.version;
    return outbox_.write(*store_, {job_, {}, Event{0, job_.id, 2000, kind, ""}}).ok();
  }
  std::string events() {
    std::string kinds;
    const std::vector<Event> all = store_->events(job_.id, 0, 9).value();
    for (const Event& event : all) kinds += event.kind + " ";
    return kinds;
  }

  std::filesystem::path folder_;
  std::unique_ptr<FlakyStore> store_;
  Job job_;
  Outbox outbox_;
};

TEST_F(OutboxTest, AChangeIsWrittenAtOnce) {
  EXPECT_TRUE(write("started"));
  EXPECT_TRUE(outbox_.is_empty());
  EXPECT_EQ(events(), "queued started ");
}

TEST_F(OutboxTest, WhatTheStoreCannotTakeWaitsInItsOrder) {
  store_->is_away = true;
  EXPECT_FALSE(write("started"));
  EXPECT_FALSE(write("failed"));
  EXPECT_FALSE(outbox_.is_empty());
  EXPECT_FALSE(outbox_.write_all(*store_).ok());
  store_->is_away = false;
  EXPECT_TRUE(write("succeeded"));
  EXPECT_TRUE(outbox_.is_empty());
  EXPECT_EQ(events(), "queued started failed succeeded ");
}

}  // namespace

}  // namespace lockstep::service
