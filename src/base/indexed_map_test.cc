#include "base/indexed_map.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/json.h"

namespace lockstep::base {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Few names and many changes, so that names meet, go and come back; enough of them that there is an index.
std::string any_name() {
  return "k" + std::to_string(*rc::gen::inRange(0, 100));
}

RC_GTEST_PROP(IndexedMap, does_what_the_map_without_index_does, ()) {
  Json json = Json::object();
  OrderedJson twin = OrderedJson::object();
  const int changes = *rc::gen::inRange(0, 400);
  for (int i = 0; i < changes; ++i) {
    const std::string name = any_name();
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        RC_ASSERT(json.erase(name) == twin.erase(name));
        break;
      case 1:
        RC_ASSERT(json.emplace(name, i).second == twin.emplace(name, i).second);
        break;
      case 2:
        RC_ASSERT(json.contains(name) == twin.contains(name));
        break;
      case 3:
        if (!json.empty()) {
          json.erase(json.begin());
          twin.erase(twin.begin());
        }
        break;
      case 4: {
        const Json copy = json;
        json = copy;
        break;
      }
      default:
        json[name] = i;
        twin[name] = i;
    }
  }
  RC_ASSERT(json.dump() == twin.dump());
  for (const auto& [name, value] : twin.items()) RC_ASSERT(json.at(name) == value.get<int>());
}

TEST(IndexedMap, HoldsAsManyMembersAsARequestMayHave) {
  std::string text = "{";
  for (int i = 0; i < 500'000; ++i) text += "\"k" + std::to_string(i) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const auto parsed = parse_json(text, "-");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().size(), 500'000U);
  EXPECT_EQ(parsed.value().at("k499999"), 499'999);
  EXPECT_EQ(parsed.value().begin().key(), "k0");
}

TEST(IndexedMap, TakesTheLastOfManyMembersOfOneName) {
  std::string text = "{";
  for (int i = 0; i < 500'000; ++i) text += "\"same\":" + std::to_string(i) + ",";
  text.back() = '}';
  const auto parsed = parse_json(text, "-");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().size(), 1U);
  EXPECT_EQ(parsed.value().at("same"), 499'999);
}

}  // namespace
}  // namespace lockstep::base
