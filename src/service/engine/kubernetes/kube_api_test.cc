#include "service/engine/kubernetes/kube_api.h"

#include <gtest/gtest.h>

namespace lockstep::service {
namespace {

TEST(KubeApi, ARefusalHasTheServersWords) {
  EXPECT_EQ(reason_in({403, R"({"kind": "Status", "message": "pods is forbidden"})"}), "pods is forbidden");
  EXPECT_EQ(reason_in({502, "<html>"}), "it answered 502");
}

}  // namespace
}  // namespace lockstep::service
