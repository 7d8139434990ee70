#include "service/tokens.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "service/api/api.h"
#include "service/job/job.h"
#include "service/store/open_store.h"

namespace lockstep::service {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;

class TokensTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lockstep_tokens_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::optional<Principal> who_says(const std::string& authorization, std::int64_t now_ms = now_in_ms()) {
    const std::unique_ptr<Store> store = open_store({folder_}).value();
    Request request;
    if (!authorization.empty()) request.headers["authorization"] = authorization;
    return principal_of(request, *store, now_ms).value();
  }

  fs::path folder_;
};

TEST_F(TokensTest, ATokenLetsItsBearerInWithItsScopes) {
  const NewToken made = make_token({folder_}, "ann", "read", hours(1)).value();
  const auto ann = who_says("Bearer " + made.text);
  ASSERT_TRUE(ann.has_value());
  EXPECT_EQ(ann->owner, "ann");
  EXPECT_TRUE(ann->may_read);
  EXPECT_FALSE(ann->may_submit);
  EXPECT_FALSE(ann->is_admin);
  EXPECT_TRUE(who_says("bearer " + made.text).has_value());
}

TEST_F(TokensTest, NothingElseDoes) {
  const NewToken made = make_token({folder_}, "ann", "admin", hours(1)).value();
  const std::string other_end =
      made.text.substr(0, made.text.size() - 1) + (made.text.back() == '0' ? "1" : "0");
  for (const std::string& said : {std::string(), made.text, "Basic " + made.text, std::string("Bearer "),
                                  "Bearer " + made.id, "Bearer " + other_end, "Bearer  " + made.text + "x"}) {
    EXPECT_FALSE(who_says(said).has_value()) << said;
  }
}

TEST_F(TokensTest, ATokenEnds) {
  const NewToken made = make_token({folder_}, "ann", "read,submit", hours(1)).value();
  EXPECT_TRUE(who_says("Bearer " + made.text).has_value());
  EXPECT_FALSE(who_says("Bearer " + made.text, now_in_ms() + 3'600'000).has_value());
  ASSERT_TRUE(revoke_token({folder_}, made.id).ok());
  EXPECT_FALSE(who_says("Bearer " + made.text).has_value());
  EXPECT_FALSE(revoke_token({folder_}, made.id).ok());
}

TEST_F(TokensTest, TheStoreDoesNotKnowItsText) {
  const NewToken made = make_token({folder_}, "ann", "read", hours(1)).value();
  for (const auto& file : fs::directory_iterator(folder_)) {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(bytes.find(made.text), std::string::npos) << file.path();
  }
  const auto tokens = list_tokens({folder_}).value();
  ASSERT_EQ(tokens.size(), 1U);
  EXPECT_EQ(tokens[0].id, made.id);
  EXPECT_EQ(scopes_of(tokens[0]), "read");
}

TEST_F(TokensTest, OnlySoundTokensAreMade) {
  for (const char* owner : {"", "uid:0", "a b", "a\nb"}) {
    EXPECT_FALSE(make_token({folder_}, owner, "read", hours(1)).ok()) << owner;
  }
  for (const char* scopes : {"", ",", "write", "read,,x"}) {
    EXPECT_FALSE(make_token({folder_}, "ann", scopes, hours(1)).ok()) << scopes;
  }
}

}  // namespace
}  // namespace lockstep::service
