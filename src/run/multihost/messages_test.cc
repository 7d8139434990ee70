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
          EvidenceFile{.kind = EvidenceKind::kKernelLog, .name = {2, 1}, .text = "oom"},
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

constexpr std::size_t kGreeting = 48;

Nonce nonce_of(std::uint8_t byte) {
  Nonce nonce;
  nonce.fill(byte);
  return nonce;
}

struct Pair {
  Conversation satellite;
  Conversation head;

  explicit Pair(const std::string& of_satellite = "secret", const std::string& of_head = "secret")
      : satellite(Side::kSatellite, of_satellite, nonce_of(1)), head(Side::kHead, of_head, nonce_of(2)) {}

  static std::string take_unsent(Conversation& from) {
    std::string bytes(from.unsent());
    from.wrote(bytes.size());
    return bytes;
  }
  void to_head() { head.take(take_unsent(satellite)); }
  void to_satellite() { satellite.take(take_unsent(head)); }
  void greet() {
    to_head();
    to_satellite();
  }
};

const Join kJoin{.host = "node1", .version = "1", .index = 1, .sent_ns = 5};

TEST(Conversation, WithOneTokenMessagesGoBothWays) {
  Pair pair;
  pair.greet();
  ASSERT_TRUE(pair.satellite.can_send() && pair.head.can_send());
  EXPECT_FALSE(pair.head.is_trusted());
  pair.satellite.send(kJoin);
  pair.satellite.send(Bye{.status = 1});
  pair.to_head();
  EXPECT_TRUE(pair.head.is_trusted());
  EXPECT_EQ(pair.head.next(), Message(kJoin));
  EXPECT_EQ(pair.head.next(), Message(Bye{.status = 1}));
  EXPECT_EQ(pair.head.next(), std::nullopt);
  pair.head.send(Welcome{.host = "node0", .echoed_ns = 5, .head_ns = 6});
  pair.to_satellite();
  EXPECT_TRUE(pair.satellite.is_trusted());
  EXPECT_TRUE(pair.satellite.next());
}

TEST(Conversation, AnotherTokenIsNoticedAtTheFirstMessage) {
  Pair pair("secret", "other");
  pair.greet();
  pair.satellite.send(kJoin);
  pair.to_head();
  EXPECT_EQ(pair.head.trouble(), Trouble::kOtherToken);
  EXPECT_EQ(pair.head.next(), std::nullopt);
}

TEST(Conversation, TheTokenIsNotAmongTheBytes) {
  Pair pair("a-long-secret-token", "a-long-secret-token");
  std::string all = Pair::take_unsent(pair.satellite);
  pair.head.take(all);
  const std::string answer = Pair::take_unsent(pair.head);
  pair.satellite.take(answer);
  pair.satellite.send(kJoin);
  all += answer + Pair::take_unsent(pair.satellite);
  EXPECT_EQ(all.find("secret"), std::string::npos);
}

TEST(Conversation, AMessageDoesNotCountTwice) {
  Pair pair;
  pair.greet();
  pair.satellite.send(kJoin);
  const std::string bytes = Pair::take_unsent(pair.satellite);
  pair.head.take(bytes);
  pair.head.take(bytes);
  EXPECT_TRUE(pair.head.next());
  EXPECT_EQ(pair.head.next(), std::nullopt);
  EXPECT_EQ(pair.head.trouble(), Trouble::kBroken);
}

TEST(Conversation, AMessageDoesNotCountInTheOtherDirectionOrAnotherConnection) {
  Pair pair;
  pair.greet();
  pair.satellite.send(kJoin);
  const std::string bytes = Pair::take_unsent(pair.satellite);
  pair.satellite.take(bytes);
  EXPECT_EQ(pair.satellite.trouble(), Trouble::kOtherToken);

  Conversation later(Side::kHead, "secret", nonce_of(3));
  Pair again;
  later.take(Pair::take_unsent(again.satellite));
  later.take(bytes);
  EXPECT_EQ(later.trouble(), Trouble::kOtherToken);
}

TEST(Conversation, AnyChangedBitEndsIt) {
  rc::check([] {
    Pair pair;
    pair.greet();
    pair.satellite.send(kJoin);
    std::string bytes = Pair::take_unsent(pair.satellite);
    const auto place = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << *rc::gen::inRange(0, 8)));
    pair.head.take(bytes);
    RC_ASSERT(!pair.head.next());
    RC_ASSERT(!pair.head.is_trusted());
  });
}

TEST(Conversation, PiecesOfAnySizeMakeTheSameMessages) {
  rc::check([] {
    Pair pair;
    pair.greet();
    pair.satellite.send(kJoin);
    pair.satellite.send(RecordBytes{.name = {1, 0}, .offset = 8, .is_new_chunk = false, .bytes = "abc"});
    const std::string bytes = Pair::take_unsent(pair.satellite);
    for (std::size_t at = 0; at < bytes.size();) {
      const auto size = *rc::gen::inRange<std::size_t>(1, 60);
      pair.head.take(std::string_view(bytes).substr(at, size));
      at += size;
    }
    RC_ASSERT(pair.head.next() && pair.head.next());
  });
}

TEST(Conversation, AStrangerIsToldApartFromAnotherVersion) {
  Conversation head(Side::kHead, "secret", nonce_of(2));
  head.take("GET / HTTP/1.1\r\n");
  EXPECT_EQ(head.trouble(), Trouble::kNotLockstep);
  EXPECT_EQ(head.unsent(), "");

  Pair pair;
  std::string greeting = Pair::take_unsent(pair.satellite);
  ASSERT_EQ(greeting.size(), kGreeting);
  greeting[8] = 9;
  pair.head.take(greeting);
  EXPECT_EQ(pair.head.trouble(), Trouble::kOtherVersion);
  EXPECT_EQ(pair.head.other_version(), 9);
  EXPECT_EQ(pair.head.unsent().size(), kGreeting) << "so that the other side can say it too";
}

TEST(Conversation, AStrangerCannotMakeItKeepMuch) {
  Pair pair;
  pair.greet();
  pair.head.take(std::string("\xff\xff\x0f\x00", 4));
  EXPECT_EQ(pair.head.trouble(), Trouble::kOtherToken);
}

TEST(Conversation, WhatIsTooLargeIsNotSent) {
  Pair pair;
  pair.greet();
  EXPECT_FALSE(pair.satellite.send(Output{.is_err = false, .text = std::string(kMaxMessageBytes, 'x')}));
  EXPECT_EQ(pair.satellite.unsent(), "");
}

}  // namespace

}  // namespace lockstep::multihost
