// Record files of one host, copied to another by the watchers: the copy reads as the file, whatever the file
// does meanwhile.
#include "run/multihost/mirror.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "base/process/free_port.h"
#include "record/recording.h"
#include "run/multihost/head.h"
#include "run/multihost/host_copy.h"
#include "run/multihost/satellite.h"
#include "sample_recording.h"

namespace lockstep::tests {
namespace {

namespace fs = std::filesystem;

recorder::WriterOptions options_for(const std::string& path) {
  recorder::WriterOptions options;
  options.path = path.c_str();
  options.chunk_bytes = 4096;
  options.header_bytes = 4096;
  options.rank = 2;
  return options;
}

void write_calls(recorder::Writer& writer, std::uint64_t from, std::uint64_t to) {
  recorder::Lane lane;
  writer.open_lane(lane, 1);
  for (std::uint64_t i = from; i < to; ++i) {
    const std::string name = "tensor " + std::to_string(i % 50);
    lane.write(numbered_call(1, i, writer.intern_string(name.data(), name.size())));
  }
  writer.close_lane(lane);
}

std::vector<std::uint64_t> calls_in(const fs::path& path) {
  std::vector<std::uint64_t> sequences;
  auto reader = record::Reader::open(path);
  if (!reader.ok()) return sequences;
  while (const record::RecordView* view = reader.value().next()) {
    if (const auto* call = view->type == LOCKSTEP_RECORD_CALL ? view->as<lockstep_call>() : nullptr) {
      sequences.push_back(call->sequence);
    }
  }
  EXPECT_EQ(reader.value().stats().damaged_chunks, 0U);
  return sequences;
}

class MirrorTest : public testing::Test {
 protected:
  MirrorTest() {
    fs::create_directory(here_);
    fs::create_directory(there_);
  }
  void open(std::size_t max_bytes, const recorder::WriterOptions& options) {
    ASSERT_EQ(writer_.open(options), 0);
    mirror_.emplace(std::move(multihost::RankMirror::open(path_, max_bytes)).value());
  }
  void copy_all() {
    mirror_->look();
    while (!mirror_->is_through()) copy_some(1 << 20);
  }
  void copy_some(std::size_t bytes) {
    mirror_->hand_on(bytes, [this](const multihost::Message& message) {
      const auto decoded = multihost::decode(multihost::encode(message));
      ASSERT_TRUE(decoded);
      const auto* file = std::get_if<multihost::RankFile>(&*decoded);
      const auto* part = std::get_if<multihost::RecordBytes>(&*decoded);
      EXPECT_TRUE(file == nullptr || copy_.keep(*file).ok());
      EXPECT_TRUE(part == nullptr || copy_.keep(*part).ok());
    });
  }

  ScratchFolder folder_;
  fs::path here_ = folder_ / "here", there_ = folder_ / "there";
  std::string path_ = here_ / record::rank_file_name(2, 0);
  fs::path copied_ = there_ / record::rank_file_name(2, 0);
  recorder::Writer writer_;
  std::optional<multihost::RankMirror> mirror_;
  multihost::HostCopy copy_{there_, "node1"};
};

TEST_F(MirrorTest, TheCopyHasEveryCallAsItComes) {
  open(64 << 20, options_for(path_));
  for (std::uint64_t i = 0; i < 5000; i += 500) {
    write_calls(writer_, i, i + 500);
    copy_all();
    EXPECT_EQ(calls_in(copied_), calls_in(path_)) << i;
  }
  EXPECT_EQ(calls_in(copied_).size(), 5000U);
}

TEST_F(MirrorTest, AFileThatIsTooLongIsCopiedAsARingOfItsNewestCalls) {
  constexpr std::uint64_t kCalls = 20'000;
  open(64 << 10, options_for(path_));
  for (std::uint64_t i = 0; i < kCalls; i += 250) {
    write_calls(writer_, i, i + 250);
    copy_all();
  }
  const std::vector<std::uint64_t> calls = calls_in(copied_);
  ASSERT_GT(calls.size(), 500U);
  EXPECT_LT(fs::file_size(copied_), 128U << 10);
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], kCalls - calls.size() + i);
  EXPECT_GT(record::Reader::open(copied_).value().stats().overwritten_chunks, 0U);
}

TEST_F(MirrorTest, ARingIsCopiedWhileItGoesAroundAndAround) {
  recorder::WriterOptions options = options_for(path_);
  options.max_bytes = 1 << 20;
  options.is_ring = true;
  open(64 << 20, options);
  for (std::uint64_t i = 0; i < 40'000; i += 1000) {
    write_calls(writer_, i, i + 1000);
    copy_all();
  }
  const auto calls = calls_in(copied_);
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.back(), 39'999U);
}

TEST_F(MirrorTest, ASlowConnectionLeavesOutButNeverDamages) {
  open(64 << 10, options_for(path_));
  for (std::uint64_t i = 0; i < 20'000; i += 250) {
    write_calls(writer_, i, i + 250);
    mirror_->look();
    copy_some(2048);
  }
  copy_all();
  const auto calls = calls_in(copied_);
  ASSERT_FALSE(calls.empty());
  EXPECT_EQ(calls.back(), 19'999U);
}

TEST_F(MirrorTest, OnlyWhatCanBeRightIsKept) {
  open(64 << 20, options_for(path_));
  write_calls(writer_, 0, 10);
  copy_all();
  const multihost::RankName name{.rank = 2, .restart = 0};
  const auto keep = [&](std::uint64_t offset, std::size_t size, bool is_new) {
    return copy_
        .keep(multihost::RecordBytes{
            .name = name, .offset = offset, .is_new_chunk = is_new, .bytes = std::string(size, 'x')})
        .ok();
  };
  EXPECT_FALSE(keep(0, 8, false)) << "the header";
  EXPECT_FALSE(keep(4096 + 8, 4096, false)) << "over the end of a chunk";
  EXPECT_FALSE(keep(4096 + 8, 8, true)) << "a new chunk that begins inside of one";
  EXPECT_FALSE(keep(~std::uint64_t{0} - 4, 8, false));
  EXPECT_FALSE(
      copy_.keep(multihost::RecordBytes{.name = {7, 0}, .offset = 4096, .is_new_chunk = false, .bytes = "x"})
          .ok());
  EXPECT_FALSE(copy_.keep(multihost::RankFile{.name = name, .header = std::string(248, 'x')}).ok());
  multihost::HostCopy other(there_, "node2");
  auto header = mirror_->header();
  header.features |= LOCKSTEP_FEATURE_RING;
  header.check = lockstep_words_check(&header, offsetof(lockstep_file_header, check) / 8, 0);
  EXPECT_FALSE(
      other.keep(multihost::RankFile{.name = name, .header = {reinterpret_cast<const char*>(&header), 248}})
          .ok())
      << "a file that another host has";
}

TEST_F(MirrorTest, ASatelliteFeedsTheHead) {
  ASSERT_EQ(writer_.open(options_for(path_)), 0);
  const auto port = static_cast<std::uint16_t>(process::free_port().value());
  const std::string token = "a-token-for-two-hosts";
  auto head = multihost::Head::start({.recording = there_, .host = "node0", .port = port, .token = token});
  ASSERT_TRUE(head.ok());
  EXPECT_FALSE(
      multihost::Head::start({.recording = there_, .host = "node0", .port = port, .token = token}).ok())
      << "the port is in use";
  multihost::Satellite satellite({.recording = here_,
                                  .host = "node1",
                                  .version = "1",
                                  .index = 1,
                                  .head = {.host = "127.0.0.1", .port = port},
                                  .token = [&] { return Result<std::string>(token); }});
  std::uint64_t written = 0;
  while (calls_in(copied_).size() < 1000) {
    write_calls(writer_, written, written + 100);
    written += 100;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_FALSE(satellite.judges_here());
  EXPECT_TRUE(head.value()->known_until_ns());
  satellite.finish(0);
  while (!satellite.is_finished() || !head.value()->is_finished()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(calls_in(copied_).size(), written);
  head.value()->tell(multihost::HeadVerdict{.recording = "/r", .findings = "{}"});
  bool has_verdict = false;
  while (!has_verdict) {
    for (const multihost::News& news : satellite.take_news())
      has_verdict |= news.kind == multihost::News::Kind::kVerdict;
  }
}

TEST_F(MirrorTest, ASatelliteWithAnotherTokenIsRefusedAndSaysSo) {
  const auto port = static_cast<std::uint16_t>(process::free_port().value());
  auto head = multihost::Head::start(
      {.recording = there_, .host = "node0", .port = port, .token = "the-token-of-node0"});
  ASSERT_TRUE(head.ok());
  multihost::Satellite satellite({.recording = here_,
                                  .host = "node1",
                                  .version = "1",
                                  .index = 1,
                                  .head = {.host = "127.0.0.1", .port = port},
                                  .token = [] { return Result<std::string>("the-token-of-node1"); }});
  const auto first_trouble = [](multihost::Link& link) {
    for (;;) {
      for (const multihost::News& news : link.take_news()) {
        if (news.kind == multihost::News::Kind::kTrouble) return news.text;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  };
  EXPECT_NE(first_trouble(*head.value()).find("another token"), std::string::npos);
  EXPECT_NE(first_trouble(satellite).find("another token"), std::string::npos);
  EXPECT_TRUE(satellite.judges_here());
  EXPECT_EQ(head.value()->other_hosts(), 0U);
}

}  // namespace
}  // namespace lockstep::tests
