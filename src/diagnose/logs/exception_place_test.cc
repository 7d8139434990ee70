#include "diagnose/logs/exception_place.h"

#include <gtest/gtest.h>

namespace lockstep::logs {
namespace {

using model::Leaf;

RaisedException raised_at(std::string path, std::string function, std::string kind = "ValueError",
                          std::string message = "unheard of", std::string source = "raise ValueError(text)") {
  RaisedException exception;
  exception.kind = std::move(kind);
  exception.message = std::move(message);
  exception.frames = {{std::move(path), "7", std::move(function), std::move(source)}};
  return exception;
}

std::optional<Leaf> place_of_one(const RaisedException& exception) {
  return library_place_in(std::span(&exception, 1));
}

TEST(LibraryPlace, ThePartThatRaisesSaysWhatItIsAbout) {
  const std::string torch = "/venv/lib/python3.11/site-packages/torch/";
  EXPECT_EQ(place_of_one(raised_at(torch + "distributed/device_mesh.py", "init")), Leaf::kSetupFail);
  EXPECT_EQ(place_of_one(raised_at(torch + "distributed/distributed_c10d.py", "scatter")), Leaf::kRunComm);
  EXPECT_EQ(place_of_one(raised_at(torch + "distributed/distributed_c10d.py", "init_process_group")),
            Leaf::kSetupFail);
  EXPECT_EQ(place_of_one(raised_at(torch + "distributed/checkpoint/filesystem.py", "write")), Leaf::kRunCkpt);
  EXPECT_EQ(place_of_one(raised_at(torch + "distributed/checkpoint/state_dict_loader.py", "load")),
            Leaf::kPrepModel);
  EXPECT_EQ(place_of_one(raised_at("C:\\py\\Lib\\site-packages\\torch\\utils\\data\\sampler.py", "f")),
            Leaf::kPrepData);
  EXPECT_EQ(place_of_one(raised_at(torch + "utils/data/distributed.py", "__iter__", "AssertionError", "",
                                   "assert len(indices) == self.total_size")),
            Leaf::kPrepShard);
}

TEST(LibraryPlace, AKeyThatTheFrameworkLacksIsRaisedWhereItIsLookedUp) {
  const std::string path = "/x/torch/distributed/fsdp/fully_sharded_data_parallel.py";
  EXPECT_EQ(place_of_one(raised_at(path, "set_state_dict_type", "KeyError", "None", "c = configs[kind]")),
            Leaf::kPrepModel);
  EXPECT_EQ(place_of_one(raised_at(path, "set_state_dict_type", "TypeError", "x", "c = configs[kind]")),
            std::nullopt);
}

TEST(LibraryPlace, WordsOfShapesSayMoreThanThePlace) {
  EXPECT_EQ(place_of_one(raised_at("/x/torch/distributed/distributed_c10d.py", "scatter", "ValueError",
                                   "tensors must have the same shape")),
            Leaf::kRunTensor);
}

TEST(LibraryPlace, WhatNativeCodeOrTheNetworkRaisedThereIsNotAboutThePlace) {
  const std::string path = "/x/torch/distributed/distributed_c10d.py";
  EXPECT_EQ(place_of_one(raised_at(path, "broadcast", "RuntimeError", "x", "work.wait()")), std::nullopt);
  EXPECT_EQ(place_of_one(raised_at(path, "broadcast", "torch.distributed.DistBackendError")), std::nullopt);
  EXPECT_EQ(place_of_one(raised_at("/home/me/train.py", "main")), std::nullopt);
}

}  // namespace
}  // namespace lockstep::logs
