#include "service/engine/last_record.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/file.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;

class LastRecordTest : public ::testing::Test {
 protected:
  LastRecordTest() {
    std::string name = "/tmp/lockstep-record-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~LastRecordTest() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(LastRecordTest, ItsRoomIsTakenBeforeItIsWritten) {
  LastRecord record(folder_ / "end.json", 100'000);
  ASSERT_TRUE(record.has_room());
  EXPECT_FALSE(fs::exists(folder_ / "end.json")) << "readers see the whole record or none";
  EXPECT_EQ(fs::file_size(folder_ / "end.json.room"), 100'000U);
  ASSERT_TRUE(record.write("how it ended").ok());
  EXPECT_EQ(base::read_file(folder_ / "end.json", 100).value(), "how it ended");
  EXPECT_FALSE(fs::exists(folder_ / "end.json.room"));
}

TEST_F(LastRecordTest, OneThatIsNotWrittenLeavesNothing) {
  { const LastRecord record(folder_ / "end.json", 1000); }
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(LastRecordTest, OneThatIsLargerThanItsRoomIsWrittenWhole) {
  LastRecord record(folder_ / "end.json", 10);
  const std::string text(5000, 'x');
  ASSERT_TRUE(record.write(text).ok());
  EXPECT_EQ(base::read_file(folder_ / "end.json", 10'000).value(), text);
}

TEST_F(LastRecordTest, WaitsAsLongAsItMay) {
  LastRecord record(folder_ / "end.json", 10);
  fs::create_directory(folder_ / "end.json");  // a record cannot be put in its place
  int asked = 0;
  EXPECT_FALSE(record.write_patiently("how it ended", [&] { return ++asked < 2; }).ok());
  EXPECT_EQ(asked, 2);
}

TEST_F(LastRecordTest, DoesNotWaitForAFolderThatIsGone) {
  fs::create_directory(folder_ / "1");
  LastRecord record(folder_ / "1" / "end.json", 10);
  fs::remove_all(folder_ / "1");
  EXPECT_FALSE(record.write_patiently("how it ended", [] { return true; }).ok());
}

}  // namespace
}  // namespace lockstep::service
