#include <gtest/gtest.h>

#include "service/job/resolve.h"

namespace lockstep::service {
namespace {

Framework of(std::string_view script, const std::map<std::string, std::string>& environment = {}) {
  return guess_framework(script, environment).framework;
}

TEST(GuessFramework, ByWhatIsImported) {
  EXPECT_EQ(of("import os\nimport torch.distributed as dist\n"), Framework::kPyTorch);
  EXPECT_EQ(of("from tensorflow import keras"), Framework::kTensorFlow);
  EXPECT_EQ(of("import numpy, torch"), Framework::kPyTorch);
  EXPECT_EQ(of("if True:\n    import tensorflow as tf\n"), Framework::kTensorFlow);
  EXPECT_EQ(of("print('import torch')\n# import torch\nimport torchlike"), Framework::kPlain);
  EXPECT_EQ(of(""), Framework::kPlain);
}

TEST(GuessFramework, HorovodComesBeforeItsTensors) {
  EXPECT_EQ(of("import torch\nimport horovod.torch as hvd"), Framework::kHorovod);
}

TEST(GuessFramework, KerasFollowsItsBackend) {
  EXPECT_EQ(of("import keras"), Framework::kTensorFlow);
  EXPECT_EQ(of("import keras", {{"KERAS_BACKEND", "torch"}}), Framework::kPyTorch);
  EXPECT_EQ(of("import os\nos.environ['KERAS_BACKEND'] = 'torch'\nimport keras"), Framework::kPyTorch);
}

TEST(GuessFramework, SaysWhy) {
  EXPECT_EQ(guess_framework("import os\nimport torch\n", {}).reason, "line 2 imports torch");
}

}  // namespace
}  // namespace lockstep::service
