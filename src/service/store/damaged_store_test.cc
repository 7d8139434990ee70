// Every way in which the files of a job store are found damaged.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "service/job/job.h"
#include "service/store/open_store.h"
#include "service/store/sqlite.h"
#include "service/store/sqlite_log.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

// A job store of many pages, as a service that was killed left it: with its log, and the mark beside it.
class DamagedStoreTest : public ::testing::Test {
 protected:
  DamagedStoreTest() {
    std::string pattern = (fs::temp_directory_path() / "lockstep_store_XXXXXX").string();
    const fs::path root = ::mkdtemp(pattern.data());
    root_ = root;
    fs::create_directory(root / "alive");
    const auto store = claim_store({root / "alive"}).value();
    for (int i = 0; i < kJobs; ++i) add(*store, i);
    std::ignore = SqliteDatabase::open(root / "alive" / "jobs.db").value()->run("PRAGMA wal_checkpoint", {});
    for (int i = kJobs; i < kJobs + kInTheLog; ++i) add(*store, i);
    fs::copy(root / "alive", folder());
    fs::copy(root / "alive", root / "kept");
    // The same without a log: as a service that was ended leaves it.
    fs::copy(root / "alive", root / "merge");
    std::ignore = open_store({root / "merge"}).value();
    fs::create_directory(root / "merged");
    for (const char* file : {"jobs.db", "key"}) fs::copy(root / "merge" / file, root / "merged");
  }
  ~DamagedStoreTest() override { fs::remove_all(root_); }

  static constexpr int kJobs = 40;
  static constexpr int kInTheLog = 5;

  fs::path folder() const { return root_ / "killed"; }
  fs::path file() const { return folder() / "jobs.db"; }
  static void add(Store& store, int number) {
    Job job;
    job.id = make_job_id(1000 + number);
    job.spec.command = {"true", std::string(600, 'x')};
    job.spec.environment = {{"A", "b"}};
    const NewJob added{job, Event{0, job.id, 1000, "submitted", ""}, {}};
    ASSERT_TRUE(store.add({&added, 1}).ok());
  }
  void take_the_killed_one() const {
    fs::remove_all(folder());
    fs::copy(root_ / "kept", folder());
  }
  void take_the_merged_one() const {
    fs::remove_all(folder());
    fs::copy(root_ / "merged", folder());
  }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void overwrite(const fs::path& path, std::size_t at, std::size_t count) {
    std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(at));
    for (std::size_t i = 0; i < count; ++i) out.put(static_cast<char>(131 * i + 17));
  }
  // Refused with what to do, and left as it is.
  void expect_refused(const std::string& what) const {
    const std::string before = bytes_of(file());
    const std::string log_before = bytes_of(file().string() + "-wal");
    const auto store = claim_store({folder()});
    ASSERT_FALSE(store.ok()) << what;
    EXPECT_FALSE(store.error().hint.empty()) << what << ": " << store.error().what;
    EXPECT_NE(store.error().where.find(folder().string()), std::string::npos) << what;
    EXPECT_EQ(bytes_of(file()), before) << what;
    EXPECT_EQ(bytes_of(file().string() + "-wal"), log_before) << what;
  }
  void expect_jobs(std::size_t count) const {
    auto store = claim_store({folder()});
    ASSERT_TRUE(store.ok()) << store.error().what << ": " << store.error().why;
    EXPECT_EQ(store.value()->unfinished().value().size(), count);
  }

  fs::path root_;
};

TEST_F(DamagedStoreTest, ALogThatWasKeptLosesNothing) {
  ASSERT_GT(fs::file_size(file().string() + "-wal"), 0U);
  expect_jobs(kJobs + kInTheLog);
  EXPECT_FALSE(fs::exists(file().string() + ".in_use")) << "it was closed";
  expect_jobs(kJobs + kInTheLog);
}

TEST_F(DamagedStoreTest, ALogThatWasMergedBySomebodyOfOursIsNotMissed) {
  std::ignore = open_store({folder()}).value();  // as --make-token opens it
  ASSERT_FALSE(fs::exists(file().string() + "-wal"));
  expect_jobs(kJobs + kInTheLog);
}

TEST_F(DamagedStoreTest, ALogThatWasLostIsMissed) {
  fs::remove(file().string() + "-wal");
  expect_refused("no log");
  fs::remove(file().string() + ".in_use");  // as it is told
  expect_jobs(kJobs);
}

// As the sqlite3 program does, and an earlier version: they know no mark.
TEST_F(DamagedStoreTest, ALogThatWasMergedBySomebodyElseIsNotMissed) {
  const std::string mark = bytes_of(file().string() + ".in_use");
  std::ignore = open_store({folder()}).value();
  ASSERT_FALSE(fs::exists(file().string() + "-wal"));
  std::ofstream(file().string() + ".in_use") << mark;
  std::vector<Error> notes;
  {
    auto store = claim_store({folder()}, [&](const Error& note) { notes.push_back(note); });
    ASSERT_TRUE(store.ok()) << store.error().why;
    EXPECT_EQ(store.value()->unfinished().value().size(), std::size_t{kJobs + kInTheLog});
  }
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes.front().where, file().string());
  auto again = claim_store({folder()}, [&](const Error& note) { notes.push_back(note); });
  EXPECT_TRUE(again.ok());
  EXPECT_EQ(notes.size(), 1U) << "once";
}

TEST_F(DamagedStoreTest, ALogIsMissedAlsoAfterTheServiceMergedAnEarlierOne) {
  take_the_merged_one();
  auto store = claim_store({folder()}).value();
  const fs::path log = file().string() + "-wal";
  const std::string mark = bytes_of(file().string() + ".in_use");
  int jobs = 1000;
  while (bytes_of(file().string() + ".in_use") == mark && jobs < 5000) add(*store, jobs++);
  ASSERT_LT(jobs, 5000) << "SQLite's log was merged in between";
  add(*store, jobs);
  fs::remove_all(root_ / "killed again");
  fs::copy(folder(), root_ / "killed again");
  store.reset();
  fs::remove_all(folder());
  fs::rename(root_ / "killed again", folder());
  fs::remove(log);
  expect_refused("no log");
}

TEST_F(DamagedStoreTest, ALogThatIsNone) {
  overwrite(file().string() + "-wal", 0, 32);
  expect_refused("garbage in the log's head");
}

TEST_F(DamagedStoreTest, ALogThatIsDamagedAnywhere) {
  const fs::path log = file().string() + "-wal";
  constexpr std::size_t kHead = 32;
  constexpr std::size_t kFrame = 24 + 4096;
  const std::size_t bytes =
      kHead + kFrame * extent_of_log(log).value().frames;  // behind it is what was merged
  for (std::size_t at = kHead + 8; at < bytes; at += bytes / 12 + 1) {
    take_the_killed_one();
    overwrite(log, at, 1);
    expect_refused("a byte of the log at " + std::to_string(at));
  }
  for (const std::size_t left : {bytes - 1, bytes / 2, kHead + 1, kHead, std::size_t{0}}) {
    take_the_killed_one();
    fs::resize_file(log, left);
    expect_refused("a log of " + std::to_string(left) + " bytes");
  }
}

// What was written last and not committed when the machine stopped: nobody was told of it.
TEST_F(DamagedStoreTest, WhatWasBegunBehindTheLastCommitIsNoDamage) {
  std::ofstream(file().string() + "-wal", std::ios::app | std::ios::binary) << std::string(9000, 'x');
  expect_jobs(kJobs + kInTheLog);
}

TEST_F(DamagedStoreTest, ALogWithoutItsStore) {
  fs::remove(file());
  expect_refused("no store");
  std::ofstream(file()).close();
  expect_refused("an empty store");
}

TEST_F(DamagedStoreTest, GarbageOverAnyPage) {
  take_the_merged_one();
  const std::size_t pages = fs::file_size(file()) / 4096;
  ASSERT_GT(pages, 12U);
  for (std::size_t page = 0; page < pages; ++page) {
    take_the_merged_one();
    overwrite(file(), page * 4096, 4096);
    expect_refused("page " + std::to_string(page));
  }
}

TEST_F(DamagedStoreTest, CutAnywhere) {
  take_the_merged_one();
  const std::size_t bytes = fs::file_size(file());
  for (const std::size_t left :
       {bytes / 2, bytes - 4096, bytes - 1, std::size_t{4096}, std::size_t{100}, std::size_t{1}}) {
    take_the_merged_one();
    fs::resize_file(file(), left);
    expect_refused("cut to " + std::to_string(left));
  }
}

TEST_F(DamagedStoreTest, AnotherHead) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{16}, std::size_t{44}, std::size_t{100}}) {
    take_the_merged_one();
    overwrite(file(), at, 4);
    expect_refused("head at " + std::to_string(at));
  }
  take_the_merged_one();
  std::ofstream(file()) << "this is no database, however long the text may be that stands here";
  expect_refused("a text");
}

TEST_F(DamagedStoreTest, AVersionThatIsNone) {
  take_the_merged_one();
  constexpr std::size_t kVersionAt = 60;
  std::fstream(file(), std::ios::in | std::ios::out | std::ios::binary).seekp(kVersionAt).put('\xff');
  expect_refused("negative");
}

TEST_F(DamagedStoreTest, EmptiedBesideFoldersOfJobs) {
  take_the_merged_one();
  fs::resize_file(file(), 0);
  fs::create_directories(folder() / "jobs/job_1/1");
  expect_refused("empty");
  fs::remove(file());  // as it is told
  expect_jobs(0);
}

TEST_F(DamagedStoreTest, ADatabaseOfAnotherProgram) {
  take_the_merged_one();
  fs::remove(file());
  ASSERT_TRUE(SqliteDatabase::open(file()).value()->run_script("CREATE TABLE bookmarks (url TEXT)").ok());
  expect_refused("another program's");
}

TEST_F(DamagedStoreTest, AFolderInItsPlace) {
  take_the_merged_one();
  fs::remove(file());
  fs::create_directory(file());
  EXPECT_FALSE(claim_store({folder()}).ok());
}

TEST_F(DamagedStoreTest, OneThatMayOnlyBeRead) {
  take_the_merged_one();
  constexpr fs::perms kReadByAll = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  constexpr fs::perms kSearchedByAll = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(root_, fs::perms::owner_write | kReadByAll | kSearchedByAll);
  for (const fs::path& kept : {file(), folder() / "key"}) fs::permissions(kept, kReadByAll);
  fs::permissions(folder(), kReadByAll | kSearchedByAll);
  const uid_t self = ::geteuid();
  if (self == 0) {
    ASSERT_EQ(::seteuid(65534), 0);
  }
  expect_refused("read-only");
  ASSERT_EQ(::seteuid(self), 0);
  fs::permissions(folder(), fs::perms::owner_all);
}

TEST_F(DamagedStoreTest, AKeyThatIsDamagedOrAnother) {
  overwrite(folder() / "key", 32, 5);
  expect_refused("a key that is too long");
  fs::rename(folder() / "key", folder() / "key.away");
  expect_refused("no key");
  EXPECT_FALSE(fs::exists(folder() / "key")) << "none is made";
  fs::rename(folder() / "key.away", folder() / "key");
  fs::resize_file(folder() / "key", 32);
  overwrite(folder() / "key", 0, 5);
  const auto store = claim_store({folder()});
  ASSERT_TRUE(store.ok());
  const auto jobs = store.value()->unfinished();
  ASSERT_FALSE(jobs.ok()) << "the service does not start";
  EXPECT_FALSE(jobs.error().hint.empty());
}

}  // namespace
}  // namespace lockstep::service
