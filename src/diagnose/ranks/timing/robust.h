// Centre and spread that a few wild values cannot move.
#pragma once

#include <span>
#include <vector>

namespace lockstep::ranks {

// The middle value, the lower one of two; 0 of none. Reorders `values`.
double lower_median(std::span<double> values);

// Standard deviations in the median distance from the median, of normally distributed values.
inline constexpr double kDeviationsPerMedianDistance = 1.4826;

// The median of all values but one, for every one of them. A median of all would hide a slow one among three.
class MedianOfOthers {
 public:
  explicit MedianOfOthers(std::span<double> values);  // two at least; reorders them

  double without(double value) const;
  double of_all() const { return is_even_ ? below_ : at_; }

 private:
  bool is_even_;
  double below_ = 0;
  double at_ = 0;
  double above_ = 0;
};

// The centre of values in their order, without the fifth at either end, and what it may be wrong by.
// Neighbours that resemble each other count as fewer.
struct Centre {
  double value = 0;
  double error = 0;  // standard error

  double significance() const;  // how many errors it lies above 0
};

Centre trimmed_centre(std::span<const double> values);

}  // namespace lockstep::ranks
