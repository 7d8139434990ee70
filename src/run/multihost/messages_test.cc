#include "run/multihost/messages.h"

#include <limits>
#include <rapidcheck.h>

#include <gtest/gtest.h>

namespace lockstep::multihost {
namespace {

std::vector<Message> one_of_each() {
  return {Join{.host = "node1", .version = "lockstep 0.1.0", .index = 3, .sent_ns = -5},
          Welcome{.host = "node0", .echoed_ns = 1, .head_ns = 2},
          RankFile{.name = {2, 1}, .header = std::string(248, 'h')},
          RecordBytes{.name = {2, 1}, .offset = 1 << 30, .is_new_chunk = true, .bytes = {'\0', 'x'}},
          Pulse{.sent_ns = 8,
                .as_of_ns = 7,
                .clock_lead_ns = -9,
                .changed = {{{2, 1}, 'T', 40}, {{3, 0}, 'X', 41}}},
          Testimony{.kind = TestimonyKind::kKernelLog, .name = {2, 1}, .text = "oom"},
          Output{.is_err = true, .text = "ValueError"},
          Bye{.status = 137},
          HeadNotice{.kind = 1, .finding = "{}", .standing = "[]"},
          HeadVerdict{.recording = "/r", .findings = "{}"}};
}

TEST(Messages, ComeBackAsTheyWere) {
  ASSERT_EQ(one_of_each().size(), std::variant_size_v<Message>);
  for (const Message& message : one_of_each()) EXPECT_EQ(decode(encode(message)), message);
}

TEST(Messages, CutOrLongerOnesAreNone) {
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_EQ(decode(std::string_view(bytes).substr(0, length)), std::nullopt) << message.index();
    }
    EXPECT_EQ(decode(bytes + '\0'), std::nullopt);
  }
}

TEST(Messages, ACountThatTheBytesCannotHoldTakesNoMemory) {
  std::string bytes = encode(Pulse{.sent_ns = 8, .as_of_ns = 0, .clock_lead_ns = 0, .changed = {}});
  bytes.replace(bytes.size() - 4, 4, "\xff\xff\xff\xff");
  EXPECT_EQ(decode(bytes), std::nullopt);
}

TEST(Messages, TimesThatSumsCannotHoldAreNone) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(decode(encode(Pulse{.sent_ns = 8, .as_of_ns = 0, .clock_lead_ns = kFar, .changed = {}})),
            std::nullopt);
  EXPECT_EQ(decode(encode(Join{.host = "node1", .version = "", .index = 3, .sent_ns = kFar})), std::nullopt);
}

TEST(Messages, WhateverDecodesEncodesToTheSameBytes) {
  rc::check([](std::vector<std::uint8_t> bytes) {
    if (!bytes.empty()) bytes[0] %= std::variant_size_v<Message> + 2;
    const std::string text(bytes.begin(), bytes.end());
    if (const auto message = decode(text)) RC_ASSERT(encode(*message) == text);
  });
}

}  // namespace
}  // namespace lockstep::multihost
