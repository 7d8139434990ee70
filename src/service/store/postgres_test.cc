#include "service/store/postgres.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/job/job.h"
#include "service/store/open_store.h"
#include "service/store/postgres_for_tests.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

std::string all_of(const Error& error) {
  return fmt::format("{} {} {} {}", error.what, error.where, error.why, error.hint);
}

class PostgresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lockstep_store_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    for (const char* node : {"a", "b"}) fs::create_directory(folder_ / node);
    postgres_server().run("DROP SCHEMA IF EXISTS lockstep CASCADE");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<Store> service_on(const char* node) const {
    auto store = claim_store({folder_ / node, postgres_server().address()});
    EXPECT_TRUE(store.ok()) << all_of(store.error());
    return std::move(store).value();
  }
  static NewJob new_job(const std::optional<IdempotencyKey>& key = {}) {
    Job job;
    job.created_ms = now_in_ms();
    job.id = make_job_id(job.created_ms);
    job.owner = "ann";
    job.spec.script = "train.py";
    job.spec.environment = {{"TOKEN", "hunter2"}};
    return {job, Event{0, job.id, job.created_ms, "queued", ""}, key};
  }
  static Result<std::vector<Admitted>> add(Store& store, const NewJob& one) { return store.add({&one, 1}); }

  fs::path folder_;
};

TEST_F(PostgresTest, AJobIsOfTheServiceThatTookIt) {
  const auto a = service_on("a");
  const auto b = service_on("b");
  const NewJob one = new_job();
  ASSERT_TRUE(add(*a, one).ok());
  EXPECT_EQ(a->unfinished().value().size(), 1U);
  EXPECT_TRUE(b->unfinished().value().empty());
  const auto seen = b->job(one.job.id).value();
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->service, a->service());
  EXPECT_TRUE(seen->spec.environment.empty());
  EXPECT_EQ(a->job(one.job.id).value()->spec.environment.size(), 1U);
  EXPECT_EQ(b->jobs({}).value().size(), 1U);
}

TEST_F(PostgresTest, AWishToCancelReachesWhoHasTheJob) {
  const auto a = service_on("a");
  const auto b = service_on("b");
  NewJob one = new_job();
  ASSERT_TRUE(add(*a, one).ok());
  ASSERT_TRUE(b->ask_to_cancel(one.job.id).ok() && b->ask_to_cancel(one.job.id).ok());
  EXPECT_TRUE(b->cancels_asked().value().empty());
  EXPECT_EQ(a->cancels_asked().value(), std::vector<std::string>{one.job.id});
  one.job.state = JobState::kCancelled;
  ++one.job.version;
  ASSERT_TRUE(a->apply({one.job, {}, {}}).ok());
  EXPECT_TRUE(a->cancels_asked().value().empty());
}

TEST_F(PostgresTest, OnlyOneProcessIsAService) {
  auto first = service_on("a");
  const auto second = claim_store({folder_ / "a", postgres_server().address()});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().where, first->service());
  const std::string name = first->service();
  first.reset();
  EXPECT_EQ(service_on("a")->service(), name);
}

TEST_F(PostgresTest, OneKeyAtTwoServicesAtOnceMakesOneJob) {
  const auto a = service_on("a");
  const auto b = service_on("b");
  constexpr int kKeys = 40;
  std::atomic<int> made = 0;
  const auto submit_all = [&made](Store& store) {
    for (int i = 0; i < kKeys; ++i) {
      const auto admitted = add(store, new_job(IdempotencyKey{std::to_string(i), "hash"}));
      ASSERT_TRUE(admitted.ok()) << all_of(admitted.error());
      if (admitted.value()[0].admission == Admission::kAdded) ++made;
    }
  };
  std::thread other([&] { submit_all(*b); });
  submit_all(*a);
  other.join();
  EXPECT_EQ(made, kKeys);
  EXPECT_EQ(a->unfinished().value().size() + b->unfinished().value().size(), std::size_t{kKeys});
}

TEST_F(PostgresTest, ServicesThatComeAtOnceMakeTheTablesOnce) {
  std::unique_ptr<Store> b;
  std::thread other([&] { b = service_on("b"); });
  const auto a = service_on("a");
  other.join();
  ASSERT_TRUE(add(*a, new_job()).ok() && add(*b, new_job()).ok());
}

TEST_F(PostgresTest, ALostConnectionIsMadeAgain) {
  const auto store = service_on("a");
  const NewJob before = new_job();
  ASSERT_TRUE(add(*store, before).ok());
  postgres_server().run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
  EXPECT_TRUE(store->job(before.job.id).value().has_value());
  postgres_server().run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
  EXPECT_TRUE(add(*store, new_job()).ok());
  EXPECT_FALSE(claim_store({folder_ / "a", postgres_server().address()}).ok()) << "the claim came along";
}

TEST_F(PostgresTest, AServerThatCrashesHasAllThatWasAccepted) {
  const auto store = service_on("a");
  const NewJob before = new_job();
  ASSERT_TRUE(add(*store, before).ok());
  postgres_server().stop();
  const NewJob meanwhile = new_job();
  const auto refused = add(*store, meanwhile);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what, "the job store cannot be reached") << all_of(refused.error());
  EXPECT_FALSE(store->is_reachable());
  postgres_server().start();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!add(*store, meanwhile).ok()) ASSERT_LT(std::chrono::steady_clock::now(), end);
  EXPECT_TRUE(store->is_reachable());
  EXPECT_EQ(store->unfinished().value().size(), 2U);
}

TEST_F(PostgresTest, APasswordIsNeverShown) {
  for (const char* address :
       {"postgresql://ann:hunter2@/lockstep?host=/nowhere", "postgresql://ann:hunter2%zz@host/x",
        "postgresql://ann@host/x?password=hunter2&nonsense=1", "host=h password=hunter2"}) {
    const auto refused = open_store({folder_, address});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(all_of(refused.error()).find("hunter2"), std::string::npos) << all_of(refused.error());
  }
}

TEST_F(PostgresTest, APasswordIsNotTakenFromWhereAllCanReadIt) {
  EXPECT_TRUE(check_without_secret("postgresql://ann@host/lockstep?passfile=/home/ann/.pgpass").ok());
  for (const char* address :
       {"postgresql://ann:hunter2@host/lockstep", "postgresql://host/x?password=hunter2"}) {
    const auto refused = check_without_secret(address);
    ASSERT_FALSE(refused.ok()) << address;
    EXPECT_NE(refused.error().hint.find("PGPASSFILE"), std::string::npos);
    EXPECT_EQ(all_of(refused.error()).find("hunter2"), std::string::npos);
  }
}

TEST_F(PostgresTest, ADatabaseOfOtherLettersIsRefused) {
  postgres_server().run("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
  std::string address = postgres_server().address();
  address.replace(address.find("/postgres?"), 10, "/latin?");
  const auto refused = open_store({folder_, address});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().why, "its texts are LATIN1, not UTF8");
  postgres_server().run("DROP DATABASE latin");
}

}  // namespace
}  // namespace lockstep::service
