// A full disk, a size limit and a file-size limit of the process: events are dropped and counted, the job
// goes on.
#include <cerrno>
#include <cstring>
#include <functional>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "sample_recording.h"

namespace lockstep::tests {
namespace {

constexpr std::uint64_t kCalls = 100'000;  // 6.4 MB, more than any of the limits below

// Writes more than fits; returns how many calls were dropped by the writer's own count.
std::uint64_t write_too_much(const std::string& path, std::size_t max_bytes) {
  recorder::Writer writer;
  recorder::WriterOptions options;
  options.path = path.c_str();
  options.max_bytes = max_bytes;
  if (writer.open(options) != 0) return 0;
  recorder::Lane lane;
  writer.open_lane(lane, 1);
  for (std::uint64_t i = 0; i < kCalls; ++i) lane.write(numbered_call(1, i, 0));
  writer.close_lane(lane);
  const std::uint64_t dropped = writer.dropped();
  writer.close(0);
  return dropped;
}

void expect_the_first_calls_and_a_count(const std::string& path, std::uint64_t dropped) {
  const Result<Contents> contents = read_all(path);
  ASSERT_TRUE(contents.ok()) << contents.error().why;
  std::uint64_t calls = 0;
  for (const RecordCopy& record : contents.value().records) {
    if (record.type != LOCKSTEP_RECORD_CALL) continue;
    lockstep_call call{};
    std::memcpy(&call, record.bytes.data(), sizeof call);
    ASSERT_EQ(call.sequence, calls);
    ++calls;
  }
  EXPECT_GT(calls, 0U);
  EXPECT_EQ(dropped, kCalls - calls);
  EXPECT_EQ(contents.value().stats.dropped, dropped);
  EXPECT_TRUE(contents.value().stats.has_goodbye) << "room for it is kept";
}

// Runs in a child so that limits and mounts end with it; the child's exit status is the test's.
void in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(body());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFSIGNALED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(NoRoom, TheSizeLimitDropsAndCounts) {
  const ScratchFolder folder;
  const std::string path = folder / "limited.lockstep";
  const std::uint64_t dropped = write_too_much(path, std::size_t{1} << 20);
  EXPECT_GT(dropped, 0U);
  expect_the_first_calls_and_a_count(path, dropped);
}

TEST(NoRoom, AFileSizeLimitOfTheProcessRaisesNoSignal) {
  const ScratchFolder folder;
  const std::string path = folder / "limited.lockstep";
  in_child([&path] {
    const rlimit limit{2 << 20, 2 << 20};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    return write_too_much(path, std::size_t{1} << 30) > 0 ? 0 : 2;
  });
  EXPECT_GT(read_all(path).value().stats.dropped, 0U);
}

TEST(NoRoom, AFullDiskRaisesNoSignal) {
  const ScratchFolder folder;
  const std::filesystem::path disk = folder / "disk";
  const std::string copy = folder / "copy.lockstep";
  std::filesystem::create_directory(disk);
  in_child([&disk, &copy] {
    const int flags = ::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
    if (::unshare(flags) != 0) return 11;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 12;
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) return 13;
    if (write_too_much(disk / "full.lockstep", std::size_t{1} << 30) == 0) return 14;
    std::error_code code;
    std::filesystem::copy_file(disk / "full.lockstep", copy, code);
    return code ? 15 : 0;
  });
  const auto contents = read_all(copy);
  ASSERT_TRUE(contents.ok());
  expect_the_first_calls_and_a_count(copy, contents.value().stats.dropped);
}

}  // namespace
}  // namespace lockstep::tests
