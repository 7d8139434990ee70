// The words of a log as features: the masks of private parts, paths and long numbers say nothing about a
// fault.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "diagnose/logs/features.h"

namespace lockstep::logs {

// "ProcessGroupNCCL" as itself, "process", "group" and "nccl", once for each channel.
class FailureWords {
 public:
  explicit FailureWords(Features& features) : features_(features) {}

  // `channel`: "e" for what tells of the failure, "w" for the rest.
  void add(std::string_view text, std::string_view channel, bool with_pairs);

 private:
  void put(std::string_view channel, const std::string& word);
  void add_name(std::string_view name, std::string_view channel, bool with_pairs, std::string& before);

  Features& features_;
};

// A second opinion, which knows nothing of roles and entries: the words of all lines together with the pairs
// they form, and the parts of words, by how often they come.
class WholeText {
 public:
  void add(std::string_view line);
  void put_into(Features& features) const;

 private:
  void add_words(std::string_view text);
  void add_parts(std::string_view text);

  std::unordered_map<std::string, int> counts_;
  std::string before_;  // the last word, of the line before as well
  std::size_t bytes_ = 0;
};

}  // namespace lockstep::logs
