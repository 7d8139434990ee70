#include "check/probe/handshake.h"

#include <rapidcheck.h>

#include <gtest/gtest.h>

namespace lockstep::probe {
namespace {

Nonce nonce_of(char byte) {
  Nonce nonce;
  nonce.fill(byte);
  return nonce;
}

// Until neither has anything to say; bytes from the caller go through `way`.
template <typename Way>
void talk(Caller& caller, Answerer& answerer, const Way& way) {
  while (!caller.is_over() && !(caller.unsent().empty() && answerer.unsent().empty())) {
    const std::string said(caller.unsent());
    caller.wrote(said.size());
    answerer.take(way(said));
    const std::string answered(answerer.unsent());
    answerer.wrote(answered.size());
    caller.take(answered, Caller::Clock::now());
  }
}
std::string as_it_is(const std::string& bytes) {
  return bytes;
}

TEST(Handshake, WithOneTokenEverythingAskedForIsDone) {
  for (const Request& request :
       {Request{}, Request{.large_bytes = 20000},
        Request{.large_bytes = 20000, .echoes = 3, .stream_bytes = 700'000}, Request{.stream_bytes = 5}}) {
    Caller caller("token", 4, request, nonce_of(1));
    Answerer answerer("token", 4, nonce_of(2));
    talk(caller, answerer, as_it_is);
    EXPECT_TRUE(caller.is_over());
    EXPECT_EQ(caller.end(), End::kOpen);
    Outcome outcome;
    caller.tell(outcome);
    EXPECT_EQ(outcome.answered_by, 4U);
    EXPECT_EQ(outcome.latency_ns > 0, request.echoes > 0);
    EXPECT_EQ(outcome.bytes_per_s > 0, request.stream_bytes > 0);
  }
}

TEST(Handshake, AnotherTokenIsRefused) {
  Caller caller("token", 4, {}, nonce_of(1));
  Answerer answerer("other", 4, nonce_of(2));
  talk(caller, answerer, as_it_is);
  EXPECT_TRUE(answerer.is_refused());
  EXPECT_FALSE(answerer.is_trusted());
  EXPECT_EQ(caller.end(), End::kNoAnswer);
}

TEST(Handshake, AnotherHostIsNamed) {
  Caller caller("token", 4, {}, nonce_of(1));
  Answerer answerer("token", 9, nonce_of(2));
  talk(caller, answerer, as_it_is);
  EXPECT_EQ(caller.end(), End::kWrongHost);
}

TEST(Handshake, ALostLargeMessageIsToldFromALostConnection) {
  Caller caller("token", 4, {.large_bytes = 20000}, nonce_of(1));
  Answerer answerer("token", 4, nonce_of(2));
  talk(caller, answerer, [](const std::string& bytes) { return bytes.size() > 9000 ? "" : bytes; });
  EXPECT_FALSE(caller.is_over());
  EXPECT_EQ(caller.end(), End::kLargeLost);
}

TEST(Handshake, BytesOfStrangersAreRefusedAndNotKept) {
  rc::check([](const std::string& bytes) {
    Answerer answerer("token", 0, nonce_of(2));
    answerer.take(bytes);
    answerer.take(std::string(100, '\0'));
    RC_ASSERT(!answerer.is_trusted());
    RC_ASSERT(answerer.is_refused());
    RC_ASSERT(answerer.unsent().empty());
  });
}

}  // namespace
}  // namespace lockstep::probe
