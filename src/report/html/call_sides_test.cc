#include "report/html/call_sides.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::html {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kFarFuture = std::int64_t{1} << 61;

class ScriptFolder : public ::testing::Test {
 protected:
  ScriptFolder() : folder_(std::filesystem::path(::testing::TempDir()) / "call_sides_test") {
    std::filesystem::create_directories(folder_);
  }
  ~ScriptFolder() override { std::filesystem::remove_all(folder_); }

  std::string script(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

using CallSides = ScriptFolder;

TEST_F(CallSides, AMismatchHasTwoWithTheirLinesOfTheScript) {
  const std::string path = script("train.py", "a\nb\nall_reduce(x)\nd\nbarrier()\n");
  ranks::testing::JobSketch sketch(3);
  for (const int rank : {0, 1, 2}) {
    ranks::testing::Call call{.communicator = sketch.world(), .sequence = 1};
    if (rank == 1) call.operation = model::Operation::kBarrier;
    call.begin_ns = kFarFuture;
    model::Event& event = sketch.call(rank, call);
    event.stack =
        sketch.job.stacks.intern({{.function = "all_reduce", .file = "/x/site-packages/t.py", .line = 9},
                                  {.function = "step", .file = path, .line = rank == 1 ? 5 : 3}});
  }
  sketch.job.hosts = {{.name = "here", .clock_ahead_ns = std::nullopt}};
  for (model::RankHistory& history : sketch.job.ranks) history.rank.host = 0;
  const auto all = sides_of(sketch.job, {{.finding = 4, .rank = 1, .event = 0}}, "here");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].finding, 4U);
  ASSERT_EQ(all[0].sides.size(), 2U);
  const CallSide& most = all[0].sides[0];
  EXPECT_THAT(most.ranks, ElementsAre(0, 2));
  EXPECT_EQ(most.call, "all_reduce of float32 [16]");
  EXPECT_EQ(most.site, "train.py:3 in step");
  EXPECT_EQ(most.snippet.first_line, 1);
  EXPECT_EQ(most.snippet.called_line, 3);
  EXPECT_THAT(most.snippet.lines, ElementsAre("a", "b", "all_reduce(x)", "d", "barrier()"));
  EXPECT_THAT(all[0].sides[1].ranks, ElementsAre(1));
  EXPECT_EQ(all[0].sides[1].snippet.called_line, 5);
  for (const char* own_host : {"", "there"}) {
    const auto without = sides_of(sketch.job, {{.finding = 4, .rank = 1, .event = 0}}, own_host);
    ASSERT_EQ(without.size(), 1U);
    EXPECT_EQ(without[0].sides[0].site, "train.py:3 in step");
    for (const CallSide& side : without[0].sides) EXPECT_THAT(side.snippet.lines, IsEmpty()) << own_host;
  }
}

TEST_F(CallSides, OnlyARecordingOfOnesOwnShowsLinesOfScripts) {
  EXPECT_THAT(host_of_own_recording(folder_.string()), Not(IsEmpty()));
  EXPECT_THAT(host_of_own_recording(script("rank_0.lockstep", "")), IsEmpty()) << "no recording";
  EXPECT_THAT(host_of_own_recording((folder_ / "none").string()), IsEmpty());
  constexpr uid_t kNobody = 65534;
  const uid_t self = ::geteuid();
  const std::string of_another = self == 0 ? folder_.string() : "/";
  if (self == 0) {
    ASSERT_EQ(::chown(of_another.c_str(), kNobody, static_cast<gid_t>(-1)), 0);
  }
  EXPECT_THAT(host_of_own_recording(of_another), IsEmpty());
}

using Snippets = ScriptFolder;

TEST_F(Snippets, AreNotReadFromWhatChangedSince) {
  const std::string path = script("train.py", "one\n");
  EXPECT_THAT(snippet_of(path, 1, kFarFuture).lines, ElementsAre("one"));
  EXPECT_THAT(snippet_of(path, 1, 1).lines, IsEmpty());
  EXPECT_THAT(snippet_of(path, 1, model::kNoTime).lines, IsEmpty());
}

TEST_F(Snippets, AreOfScriptsAlone) {
  EXPECT_THAT(snippet_of(script("key.pem", "secret\n"), 1, kFarFuture).lines, IsEmpty());
  const std::string secret = script("secret.txt", "secret\n");
  std::filesystem::create_symlink(secret, folder_ / "link.py");
  EXPECT_THAT(snippet_of((folder_ / "link.py").string(), 1, kFarFuture).lines, IsEmpty());
  std::filesystem::create_directory(folder_ / "folder.py");
  EXPECT_THAT(snippet_of((folder_ / "folder.py").string(), 1, kFarFuture).lines, IsEmpty());
  EXPECT_THAT(snippet_of((folder_ / "none.py").string(), 1, kFarFuture).lines, IsEmpty());
}

TEST_F(Snippets, ALineBehindTheEndIsNoPlaceOfTheScript) {
  EXPECT_THAT(snippet_of(script("train.py", "one\n"), 7, kFarFuture).lines, IsEmpty());
}

}  // namespace
}  // namespace lockstep::html
