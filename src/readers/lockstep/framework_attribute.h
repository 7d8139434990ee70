// The attributes of a record by which adapters name their framework.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lockstep::readers {

struct FrameworkAttribute {
  std::string_view key;        // as the adapter writes it; the value is a version
  std::string_view framework;  // as a job names it
};

// Frameworks stand on each other: PyTorch's rank may be Horovod's, and that MPI's. The highest is first.
inline constexpr std::array<FrameworkAttribute, 5> kFrameworkAttributes = {{{"keras", "keras"},
                                                                            {"torch", "pytorch"},
                                                                            {"tensorflow", "tensorflow"},
                                                                            {"horovod", "horovod"},
                                                                            {"mpi", "mpi"}}};

// Null: the attribute names none.
inline const FrameworkAttribute* framework_attribute(std::string_view key) {
  const auto found = std::ranges::find(kFrameworkAttributes, key, &FrameworkAttribute::key);
  return found == kFrameworkAttributes.end() ? nullptr : &*found;
}

// Whether the framework names a job that was named `known` so far; empty: nothing named it.
inline bool names_rather(const FrameworkAttribute& attribute, std::string_view known) {
  return &attribute < std::ranges::find(kFrameworkAttributes, known, &FrameworkAttribute::framework);
}

}  // namespace lockstep::readers
