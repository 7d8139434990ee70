#include "service/engine/artifacts.h"

#include <cstdlib>
#include <fstream>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class ArtifactsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lockstep_artifacts_XXXXXX").string();
    outside_ = ::mkdtemp(pattern.data());
    folder_ = outside_ / "files";
    fs::create_directories(folder_ / "checkpoints");
    write("train.py");
    write("checkpoints/step_1.pt");
    write("loss.csv");
    std::ofstream(outside_ / "secret") << "secret";
    fs::create_symlink(outside_ / "secret", folder_ / "link");
    fs::create_symlink(outside_, folder_ / "way_out");
    ::mkfifo((folder_ / "pipe").c_str(), 0600);
  }
  void TearDown() override { fs::remove_all(outside_); }

  void write(const std::string& name) { std::ofstream(folder_ / name) << name; }
  bool opens(const std::string& path) const { return open_artifact(folder_, path).has_value(); }

  fs::path outside_;
  fs::path folder_;
};

TEST_F(ArtifactsTest, AreTheFilesThatDidNotComeWithTheRequest) {
  std::vector<std::string> paths;
  for (const Artifact& one : artifacts_in(folder_, {{"train.py", ""}}).found) paths.push_back(one.path);
  EXPECT_THAT(paths, ElementsAre("checkpoints/step_1.pt", "loss.csv"));
  EXPECT_EQ(artifacts_in(folder_, {}).found.front().bytes, 21);
  EXPECT_TRUE(artifacts_in(outside_ / "none", {}).found.empty());
}

TEST_F(ArtifactsTest, OnlyWhatLiesInTheFolderIsOpened) {
  EXPECT_TRUE(opens("loss.csv"));
  EXPECT_TRUE(opens("checkpoints/step_1.pt"));
  for (const char* path : {"", ".", "..", "../secret", "link", "way_out/secret", "/etc/passwd", "checkpoints",
                           "checkpoints/../../secret", "pipe", "nothing", "loss.csv/x"})
    EXPECT_FALSE(opens(path)) << path;
}

}  // namespace
}  // namespace lockstep::service
