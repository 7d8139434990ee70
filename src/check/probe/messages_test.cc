#include "check/probe/messages.h"

#include <gtest/gtest.h>

namespace lockstep::probe {
namespace {

CallOrder some_order() {
  CallOrder order;
  order.id = 7;
  order.host = 3;
  order.is_bound = true;
  order.source = base::ipv4(0x0a000001);
  order.destination = *base::parse_address("fe80::1");
  order.port = 29500;
  order.large_bytes = 18000;
  return order;
}

std::vector<Message> one_of_each() {
  return {Hello{"node1", "1.2"},
          AskFacts{{"node0", "node1"}, "/usr/bin/python3"},
          Facts{"{}"},
          Listen{.own_number = 2,
                 .orders = {{.id = 1, .address = base::ipv4(1), .first_port = 5, .last_port = 9}}},
          Listening{{{.id = 1, .port = 7, .error = 98}}},
          Call{.timeout_ms = 1, .retry_timeout_ms = 2, .at_once = 3, .orders = {some_order()}},
          Called{{{.id = 4, .end = End::kLargeLost, .error = 5, .attempts = 2, .answered_by = 1}}},
          Bye{}};
}

TEST(Messages, EachIsTheSameAfterTheWay) {
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    EXPECT_EQ(bytes.back(), '\n');  // launchers that hand on lines hand it on
    EXPECT_EQ(decode(bytes), message) << message.index();
  }
}

TEST(Messages, APartOfOneIsNone) {
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_EQ(decode(std::string_view(bytes).substr(0, length)), std::nullopt);
    EXPECT_EQ(decode(bytes + "\n"), std::nullopt);
  }
}

TEST(Messages, NumbersOutOfRangeAreRefused) {
  Call call{.timeout_ms = 1, .retry_timeout_ms = 1, .at_once = 1, .orders = {some_order()}};
  call.orders[0].large_bytes = kMaxLargeBytes + 1;
  EXPECT_EQ(decode(encode(call)), std::nullopt);
  Listen listen{.own_number = 0, .orders = {{.id = 1, .address = {}, .first_port = 9, .last_port = 5}}};
  EXPECT_EQ(decode(encode(listen)), std::nullopt);
}

}  // namespace
}  // namespace lockstep::probe
