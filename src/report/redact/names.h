// Names of hosts and users: learned wherever a line says that a word is one, then hidden everywhere.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "report/redact/stand_ins.h"

namespace lockstep::report {

class Names {
 public:
  explicit Names(StandIns& stand_ins) : stand_ins_(&stand_ins) {}

  void learn_host(std::string_view name);
  void learn_from(std::string_view text);
  // node018 is a host where node017 is one. After everything else was learned.
  void learn_siblings_in(std::string_view text);
  // A secret that one line gave away by its name may stand bare in another.
  void learn_secrets();

  std::string hidden_in(std::string_view text) const;

 private:
  void learn(Private kind, std::string_view name);

  void add(const std::string& name, const std::string& stand_in);

  StandIns* stand_ins_;
  std::set<std::string, std::less<>> host_shapes_;            // "node#"
  std::unordered_map<std::string, std::string> stand_in_of_;  // by name in lower case
  // Lengths of the names that begin with two letters, longest first: at each place of a text the longest name
  // counts, and most places begin none.
  std::unordered_map<std::string, std::set<std::size_t, std::greater<>>> lengths_;
};

}  // namespace lockstep::report
