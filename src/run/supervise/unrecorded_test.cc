#include "run/supervise/unrecorded.h"

#include <algorithm>
#include <cstdlib>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::supervise {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string why(const std::vector<std::string>& command) {
  return why_unrecorded(command).value_or("");
}

TEST(WhyUnrecorded, NamesTheFlagThatMakesPythonIgnoreItsPath) {
  EXPECT_THAT(why({"python3", "-I", "train.py"}), HasSubstr("python3 -I ignores PYTHONPATH"));
  EXPECT_THAT(why({"/usr/bin/python3.11", "-uE", "train.py"}), HasSubstr("python3.11 -E ignores"));
  EXPECT_THAT(why({"mpirun", "-np", "2", "python", "-X", "dev", "-I", "t.py"}), HasSubstr("python -I"));
  EXPECT_EQ(why({"python3", "train.py", "-I"}), "");
  EXPECT_EQ(why({"python3", "-X", "importtime", "train.py", "-E"}), "");
  EXPECT_EQ(why({"python3", "-m", "trainer", "-I"}), "");
  EXPECT_EQ(why({"python3", "-WE", "train.py"}), "") << "a filter for warnings";
  EXPECT_EQ(why({"pythonic", "-I"}), "");
}

class Programs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lockstep-unrecorded-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A program header of the given type and nothing else.
  std::string program(const char* name, Elf64_Word type) {
    Elf64_Ehdr head{};
    std::copy_n(ELFMAG, SELFMAG, head.e_ident);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_phoff = sizeof head;
    head.e_phnum = 1;
    head.e_phentsize = sizeof(Elf64_Phdr);
    Elf64_Phdr header{};
    header.p_type = type;
    std::ofstream file(folder_ / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&head), sizeof head);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    fs::permissions(folder_ / name, fs::perms::owner_all);
    return (folder_ / name).string();
  }

  fs::path folder_;
};

TEST_F(Programs, ThatAreLinkedStaticallyAreNamed) {
  EXPECT_THAT(why({"mpirun", program("alone", PT_LOAD), "--steps"}), HasSubstr("alone is linked statically"));
  EXPECT_EQ(why({"mpirun", program("loaded", PT_INTERP)}), "");
  EXPECT_EQ(why({"mpirun", program("loaded", PT_INTERP), program("libnet.so.1", PT_LOAD)}), "")
      << "its argument";
  std::ofstream(folder_ / "script") << "#!/bin/sh\n";
  EXPECT_EQ(why({(folder_ / "script").string()}), "");
}

TEST_F(Programs, ThatGetOtherRightsAreNamed) {
  const std::string path = program("other", PT_INTERP);
  if (::chown(path.c_str(), ::geteuid() + 1, ::getegid()) != 0) GTEST_SKIP() << "only root gives files away";
  fs::permissions(path, fs::perms::owner_all | fs::perms::set_uid);
  EXPECT_THAT(why({path}), HasSubstr("changes its user, group or capabilities"));
}

TEST(WhyUnrecorded, SaysNothingOfWhatItDoesNotKnow) {
  EXPECT_EQ(why({"/no/such/program"}), "");
  EXPECT_EQ(why({"no-such-program-at-all"}), "");
  EXPECT_EQ(why({"/proc"}), "");
}

}  // namespace
}  // namespace lockstep::supervise
