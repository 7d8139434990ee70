#include "readers/walk.h"

#include <algorithm>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/testing/scratch_folder.h"

namespace lockstep::readers {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchFolder;

std::vector<std::string> names_below(const ScratchFolder& folder, const Walk& found) {
  std::vector<std::string> names;
  for (const InputFile& file : found.files) {
    names.push_back(file.path.lexically_relative(folder.path()).string());
  }
  return names;
}

TEST(Walk, ListsEveryFileBelowAFolderOnceAndSorted) {
  const ScratchFolder folder;
  folder.write("b/rank_1", "1");
  folder.write("b/deep/rank_2", "2");
  folder.write("a", "0");
  const Walk found = walk({folder.path(), folder.path() / "b", folder.path() / "a"});
  EXPECT_THAT(names_below(folder, found), ElementsAre("a", "b/deep/rank_2", "b/rank_1"));
  EXPECT_THAT(found.limits, IsEmpty());
}

TEST(Walk, EndsInLoopsOfLinksAndFollowsLinksToFiles) {
  const ScratchFolder folder;
  folder.write("runs/1/rank_0", "0");
  std::filesystem::create_directory_symlink(folder.path() / "runs", folder.path() / "runs/1/again");
  std::filesystem::create_directory_symlink("1", folder.path() / "runs/latest");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  const Walk found = walk({folder.path()});
  EXPECT_EQ(found.files.size(), 1U);
  EXPECT_THAT(found.limits, ElementsAre(HasSubstr("loop")));
}

TEST(Walk, FollowsNoLinkToAFolderOutsideOfWhatWasNamed) {
  const ScratchFolder folder;
  folder.write("job/rank_0", "0");
  folder.write("job-2/rank_1", "1");  // the name begins the same
  std::filesystem::create_directory_symlink("/", folder.path() / "job/root");
  std::filesystem::create_directory_symlink(folder.path() / "job-2", folder.path() / "job/other");
  const Walk found = walk({folder.path() / "job"});
  EXPECT_THAT(names_below(folder, found), ElementsAre("job/rank_0"));
  EXPECT_THAT(found.limits, ElementsAre(HasSubstr("job/other: a link to a folder outside"),
                                        HasSubstr("job/root: a link to a folder outside")));
  EXPECT_EQ(walk({folder.path() / "job", folder.path() / "job-2"}).files.size(), 2U);
  std::filesystem::create_directory_symlink(folder.path() / "job-2", folder.path() / "named");
  EXPECT_EQ(walk({folder.path() / "named"}).files.size(), 1U) << "the user named the link himself";
}

TEST(Walk, SaysWhatItPassedOver) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const Walk found = walk({folder.path(), folder.path() / "missing"});
  EXPECT_THAT(found.files, IsEmpty());
  EXPECT_THAT(found.limits, Contains(HasSubstr("pipe: not a regular file")));
  EXPECT_THAT(found.limits, Contains(HasSubstr("missing: No such file")));
}

TEST(Walk, ReadsAPipeThatTheUserNames) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(walk({folder.path() / "pipe"}).files.size(), 1U);
}

// Root opens every folder, so it becomes somebody else for a moment.
class AsNobody {
 public:
  AsNobody() { EXPECT_TRUE(is_root_ ? ::seteuid(kNobody) == 0 : true); }
  ~AsNobody() { EXPECT_TRUE(is_root_ ? ::seteuid(0) == 0 : true); }

 private:
  static constexpr uid_t kNobody = 65534;
  const bool is_root_ = ::geteuid() == 0;
};

TEST(Walk, SaysWhichFolderIsClosed) {
  const ScratchFolder folder;
  folder.write("closed/rank_0", "0");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  std::filesystem::permissions(folder.path() / "closed", std::filesystem::perms::none);
  Walk found;
  {
    const AsNobody nobody;
    found = walk({folder.path()});
  }
  std::filesystem::permissions(folder.path() / "closed", std::filesystem::perms::owner_all);
  EXPECT_THAT(found.limits, ElementsAre(HasSubstr("closed: cannot list the folder")));
}

TEST(Walk, TakesTheDashAsStandardInput) {
  const Walk found = walk({"-"});
  ASSERT_EQ(found.files.size(), 1U);
  EXPECT_EQ(found.files.front().name, "standard input");
}

}  // namespace
}  // namespace lockstep::readers
