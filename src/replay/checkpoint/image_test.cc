#include "replay/checkpoint/image.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;

const ImageFacts kFacts{.step = 20,
                        .pid = 300,
                        .out = "pipe:[11]",
                        .err = "pipe:[12]",
                        .recording = "/out",
                        .replayed = "/rec",
                        .rank = 3};

class ImageFolder : public ::testing::Test {
 protected:
  ImageFolder() {
    std::string name = (fs::temp_directory_path() / "lockstep-images-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ImageFolder() override { fs::remove_all(folder_); }
  void add(std::uint64_t step, const fs::path& below = "images") const {
    ImageFacts facts = kFacts;
    facts.step = step;
    fs::create_directories(folder_ / below / image_name(step));
    std::ofstream(folder_ / below / image_name(step) / "image.json") << encode_facts(facts);
  }
  fs::path folder_;
};

TEST(ImageFacts, ComeBackAsTheyWere) {
  const auto facts = decode_facts(encode_facts(kFacts), "image.json");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts.value(), kFacts);
  EXPECT_FALSE(decode_facts("{}", "image.json").ok());
  EXPECT_FALSE(decode_facts("[]", "image.json").ok());
  EXPECT_FALSE(decode_facts("{\"step\": \"x\", \"pid\": 1, \"recording\": \"/o\"}", "image.json").ok());
}

TEST_F(ImageFolder, IsReadByStepThroughEitherName) {
  add(20);
  add(100);
  add(3);
  fs::create_directories(folder_ / "images/step_000200");  // being taken
  for (const fs::path& name : {folder_, folder_ / "images"}) {
    const auto images = read_images(name);
    ASSERT_TRUE(images.ok());
    ASSERT_EQ(images.value().size(), 3u);
    EXPECT_EQ(images.value().front().facts.step, 3u);
    EXPECT_EQ(images.value().back().facts.step, 100u);
  }
}

TEST_F(ImageFolder, HasANearestImageAtOrBeforeAStep) {
  add(10);
  add(20);
  const std::vector<Image> images = read_images(folder_).value();
  EXPECT_FALSE(nearest_image(images, 9));
  EXPECT_EQ(nearest_image(images, 10)->facts.step, 10u);
  EXPECT_EQ(nearest_image(images, 19)->facts.step, 10u);
  EXPECT_EQ(nearest_image(images, 1000)->facts.step, 20u);
}

TEST_F(ImageFolder, SaysThatThereAreNone) {
  EXPECT_EQ(read_images(folder_).error().why, "there are none");
  EXPECT_FALSE(read_images(folder_ / "missing").ok());
}

}  // namespace
}  // namespace lockstep::checkpoint
