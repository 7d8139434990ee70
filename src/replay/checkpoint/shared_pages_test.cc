#include "replay/checkpoint/shared_pages.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "base/file.h"

namespace lockstep::checkpoint {

namespace {

namespace fs = std::filesystem;

std::string page(char letter) {
  return std::string(kPageBytes, letter);
}

class SharedPagesTest : public ::testing::Test {
 protected:
  SharedPagesTest() {
    std::string name = (fs::temp_directory_path() / "lockstep-pages-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~SharedPagesTest() override { fs::remove_all(folder_); }

  fs::path image(const std::string& name, const std::vector<PageRun>& runs,
                 const std::string& contents) const {
    const fs::path process = folder_ / name / "process";
    fs::create_directories(process);
    const PageMap map{.magic = "12345678", .contents = 1, .runs = runs};
    std::ofstream(process / "pagemap-300.img") << encode_page_map(map);
    std::ofstream(process / "pages-1.img") << contents;
    return process;
  }
  static std::string contents(const fs::path& process) {
    return base::read_file(process / "pages-1.img", 1 << 20).value();
  }
  static std::vector<PageRun> runs(const fs::path& process) {
    return decode_page_map(base::read_file(process / "pagemap-300.img", 1 << 20).value(), "").value().runs;
  }

  fs::path folder_;
};

TEST_F(SharedPagesTest, AreWrittenOnceAndFoundThroughTheImageBefore) {
  SharedPages shared;
  const fs::path first =
      image("step_1", {{0x1000, 3, 4}, {0x9000, 1, 6}}, page('a') + page('b') + page('c') + page('x'));
  ASSERT_TRUE(shared.remove_known(first, 300).ok());
  EXPECT_EQ(contents(first).size(), 4 * kPageBytes);
  EXPECT_FALSE(fs::exists(first / "parent"));

  const fs::path second =
      image("step_2", {{0x1000, 3, 4}, {0x9000, 1, 6}}, page('a') + page('B') + page('c') + page('x'));
  ASSERT_TRUE(shared.remove_known(second, 300).ok());
  EXPECT_EQ(contents(second), page('B'));
  EXPECT_EQ(runs(second),
            (std::vector<PageRun>{{0x1000, 1, 1}, {0x2000, 1, 4}, {0x3000, 1, 1}, {0x9000, 1, 1}}));
  EXPECT_EQ(fs::read_symlink(second / "parent"), "../../step_1/process");

  // What the second has from the first is known for the third, and what only the first had is not.
  const fs::path third = image("step_3", {{0x1000, 2, 4}, {0x9000, 1, 6}}, page('a') + page('b') + page('x'));
  ASSERT_TRUE(shared.remove_known(third, 300).ok());
  EXPECT_EQ(contents(third), page('b'));
  EXPECT_EQ(fs::read_symlink(third / "parent"), "../../step_2/process");
}

TEST_F(SharedPagesTest, OfAListThatIsNotUnderstoodStayAsTheyAre) {
  SharedPages shared;
  const fs::path first = image("step_1", {{0x1000, 1, 4}}, page('a'));
  std::ofstream(first / "pagemap-300.img") << "something else";
  EXPECT_FALSE(shared.remove_known(first, 300).ok());
  EXPECT_EQ(contents(first), page('a'));
}

using namespace std::string_literals;

// The beginning of one that CRIU 4.1.1 wrote of a process of PyTorch.
const std::string kReal =
    "\x19\x43\x56\x54\x25\x40\x08\x56"
    "\x02\0\0\0\x08\x01"
    "\x09\0\0\0\x08\x80\xe0\x87\x02\x10\x01\x20\x04"
    "\x09\0\0\0\x08\x80\xa0\xd1\x04\x10\x62\x20\x06"s;

TEST(PageMap, IsReadAsCriuWritesIt) {
  const auto map = decode_page_map(kReal, "pagemap");
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map.value().contents, 1u);
  const std::vector<PageRun> runs{{.address = 4321280, .pages = 1, .flags = 4},
                                  {.address = 9719808, .pages = 98, .flags = 6}};
  EXPECT_EQ(map.value().runs, runs);
  EXPECT_EQ(encode_page_map(map.value()), kReal);
}

TEST(PageMap, KeepsTheSecondCount) {
  const PageMap map{.magic = "12345678",
                    .contents = 7,
                    .runs = {{.address = 1 << 20, .pages = 300, .flags = 1, .says_pages_twice = true}}};
  const auto again = decode_page_map(encode_page_map(map), "pagemap");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value().runs, map.runs);
}

TEST(PageMap, CutAnywhereIsRefusedOrShorter) {
  for (std::size_t size = 0; size < kReal.size(); ++size) {
    const auto map = decode_page_map(std::string_view(kReal).substr(0, size), "pagemap");
    EXPECT_TRUE(!map.ok() || map.value().runs.size() < 2) << size;
  }
  EXPECT_FALSE(decode_page_map("12345678\x02\0\0\0\x08\x01\x04\0\0\0\x0a\x02xy"s, "pagemap").ok());
}

}  // namespace

}  // namespace lockstep::checkpoint
