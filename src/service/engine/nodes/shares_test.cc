#include "service/engine/nodes/shares.h"

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

TEST(NodesFor, AsFewAsHaveRoom) {
  EXPECT_EQ(nodes_for(4, {4, 4}, 0), 1);
  EXPECT_EQ(nodes_for(5, {4, 4}, 0), 2);
  EXPECT_EQ(nodes_for(8, {4, 4, 1}, 0), 2);
  EXPECT_EQ(nodes_for(9, {4, 4, 1}, 0), 0);
  EXPECT_EQ(nodes_for(1, {0, 0}, 0), 0);
}

TEST(NodesFor, ExactlyAsManyAsAsked) {
  EXPECT_EQ(nodes_for(4, {4, 4}, 2), 2);
  EXPECT_EQ(nodes_for(4, {4, 1}, 2), 0);
  EXPECT_EQ(nodes_for(4, {4, 4}, 3), 0);
  EXPECT_EQ(nodes_for(1, {4, 4}, 2), 0);
}

}  // namespace
}  // namespace lockstep::service
