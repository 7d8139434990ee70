// The bytes printed in docs/formats/record.md are a record file, and decode to what the page says.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "sample_recording.h"

namespace lockstep::tests {
namespace {

struct Page {
  std::string file = std::string(12288, '\0');
  std::string json;
};

// Lines of a hex block: "2040: 40 00 01 a5 ..."
void put_hex_line(const std::string& line, std::string& file) {
  std::istringstream words(line);
  std::string offset_text;
  words >> offset_text;
  std::size_t offset = std::stoul(offset_text, nullptr, 16);
  for (std::string byte; words >> byte; ++offset)
    file.at(offset) = static_cast<char>(std::stoi(byte, nullptr, 16));
}

Page read_page() {
  std::ifstream text(LOCKSTEP_SOURCE_DIR "/docs/formats/record.md");
  Page page;
  std::string block;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      block = block.empty() ? line.substr(3) : "";
    } else if (block == "hex") {
      put_hex_line(line, page.file);
    } else if (block == "json") {
      page.json += line + '\n';
    }
  }
  return page;
}

TEST(FormatPage, ItsBytesDecodeToWhatItSays) {
  const Page page = read_page();
  ASSERT_FALSE(page.json.empty());
  const ScratchFolder folder;
  std::ofstream(folder / "example.lockstep", std::ios::binary) << page.file;
  std::filesystem::current_path((folder / "example.lockstep").parent_path());

  EXPECT_EQ(dump_as_json_lines("example.lockstep"), page.json);
  std::filesystem::current_path("/");
}

}  // namespace
}  // namespace lockstep::tests
