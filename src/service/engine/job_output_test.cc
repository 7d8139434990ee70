#include "service/engine/job_output.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/file.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;
using process::Stream;

class TemporaryFile {
 public:
  TemporaryFile() {
    std::string pattern = (fs::temp_directory_path() / "lockstep_output_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFile() { fs::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  fs::path path() const { return folder_ / "output"; }
  std::string content() const { return base::read_file(path(), std::size_t{1} << 30).value(); }

 private:
  fs::path folder_;
};

TEST(JobOutput, LinesOfRanksAreEntries) {
  const TemporaryFile file;
  auto zero = OutputWriter::open(file.path(), 0);
  auto one = OutputWriter::open(file.path(), 1);
  zero.value().keep(Stream::kOut, "a\nb", 5);
  one.value().keep(Stream::kErr, "c\n", 6);
  zero.value().keep(Stream::kOut, "b\n\n", 7);
  zero.value().keep(Stream::kErr, "no end", 8);
  zero.value().finish(9);
  EXPECT_EQ(file.content(), "5 0 o a\n6 1 e c\n7 0 o bb\n7 0 o \n9 0 e no end\n");
  EXPECT_EQ(zero.value().last_lines().back(), "no end");
}

TEST(JobOutput, AnEntryIsReadOnlyWhenItIsWhole) {
  const std::string text = "5 0 o a b\n6 12 E cd";
  const auto first = first_entry(text, 100);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->text, "a b");
  EXPECT_EQ(first->next, 110);
  EXPECT_FALSE(first_entry(std::string_view(text).substr(10), 110).has_value());
  const auto after_damage = first_entry("garbage\n\n6 12 E cd\n", 0);
  ASSERT_TRUE(after_damage.has_value());
  EXPECT_EQ(after_damage->rank, 12);
  EXPECT_EQ(after_damage->stream, 'E');
  EXPECT_EQ(after_damage->next, 19);
}

// Whatever is printed, in whatever pieces, comes back byte for byte.
RC_GTEST_PROP(JobOutput, NothingIsLost, (const std::vector<std::string>& pieces, bool with_long_line)) {
  const TemporaryFile file;
  auto writer = OutputWriter::open(file.path(), 3);
  std::string printed;
  for (const std::string& piece : pieces) {
    printed += piece;
    writer.value().keep(Stream::kOut, piece, 1);
  }
  if (with_long_line) {
    const std::string line(100'000, 'x');
    printed += line;
    writer.value().keep(Stream::kOut, line, 1);
  }
  writer.value().finish(1);
  const std::string kept = file.content();
  std::string back;
  std::int64_t position = 0;
  while (const auto entry =
             first_entry(std::string_view(kept).substr(static_cast<std::size_t>(position)), position)) {
    back += entry->text;
    if (entry->stream == 'o') back += '\n';
    position = entry->next;
  }
  if (!printed.empty() && printed.back() != '\n') printed += '\n';
  RC_ASSERT(back == printed);
}

}  // namespace
}  // namespace lockstep::service
