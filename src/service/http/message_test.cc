#include "service/http/message.h"

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

TEST(WholeAnswer, InOnePieceOrInChunksOrUntilTheEnd) {
  const auto whole = whole_answer_in("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nhi");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->status, 201);
  EXPECT_EQ(whole->body, "hi");
  const auto chunks = whole_answer_in(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n3\r\n you\r\n0\r\n\r\n");
  EXPECT_FALSE(chunks) << "a chunk is longer than it says";
  const auto sound = whole_answer_in(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n4\r\n you\r\n0\r\n\r\n");
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->body, "hi you");
  const auto open = whole_answer_in("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhi");
  ASSERT_TRUE(open);
  EXPECT_EQ(open->body, "hi");
}

TEST(WholeAnswer, WhatIsCutShortIsNone) {
  for (const char* text :
       {"", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", "hello\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n"})
    EXPECT_FALSE(whole_answer_in(text)) << text;
}

}  // namespace
}  // namespace lockstep::service
