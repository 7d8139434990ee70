// The words of a command, and where each stands.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/launch_config.h"
#include "launchers/flag_table.h"
#include "shell/text.h"

namespace lockstep::config {

class CommandLine {
 public:
  CommandLine() = default;
  explicit CommandLine(launchers::Words words) : texts_(std::move(words)) {}
  explicit CommandLine(const std::vector<shell::Word>& words);

  bool empty() const { return texts_.empty(); }
  std::size_t size() const { return texts_.size(); }
  const std::string& front() const { return texts_.front(); }
  const std::string& operator[](std::size_t at) const { return texts_[at]; }
  std::span<const std::string> words() const { return texts_; }
  CommandLine from(std::size_t first) const;
  CommandLine first(std::size_t count) const;
  CommandLine with(std::size_t at, std::string text) const;  // the word at that place replaced

  // Where a value of the word at that place was written: in a script, where the variable is set that it is
  // the whole value of. The others that went into it are named: "flag --nnodes, NNODES of line 4".
  Origin origin(std::size_t at, std::string_view value, const Origin& otherwise) const;
  shell::Word word(std::size_t at) const;

 private:
  launchers::Words texts_;
  std::vector<shell::Word> places_;  // as many as texts, or none
};

}  // namespace lockstep::config
