#include "replay/checkpoint/page_map.h"

#include <gtest/gtest.h>

namespace lockstep::checkpoint {
namespace {

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
