// The members of a JSON object in the order they were written, found by their names in constant time.
//
// nlohmann::ordered_map looks through all members for each one that is added: a request of 300,000 members
// stood for a minute of work. Small objects, which are nearly all, have no index and are looked through as
// before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/ordered_map.hpp>

namespace lockstep::base {

// Differs from one process to the next, so that nobody can choose names that meet in one slot.
std::uint64_t hash_of_name(std::string_view name);

// Holds what nlohmann::basic_json asks of its object type. Keys are strings.
template <class Key, class T, class IgnoredLess = std::less<Key>,
          class Allocator = std::allocator<std::pair<const Key, T>>>
class IndexedMap : public nlohmann::ordered_map<Key, T, IgnoredLess, Allocator> {
  using Base = nlohmann::ordered_map<Key, T, IgnoredLess, Allocator>;

 public:
  using typename Base::const_iterator;
  using typename Base::iterator;
  using typename Base::key_type;
  using typename Base::mapped_type;
  using typename Base::size_type;
  using typename Base::value_type;

  IndexedMap() = default;
  explicit IndexedMap(const Allocator& allocator) : Base(allocator) {}
  template <class It>
  IndexedMap(It first, It last, const Allocator& allocator = Allocator()) : Base(allocator) {
    insert(first, last);
  }
  IndexedMap(std::initializer_list<value_type> members, const Allocator& allocator = Allocator())
      : Base(allocator) {
    insert(members.begin(), members.end());
  }

  template <class Name, class Value>
  std::pair<iterator, bool> emplace(Name&& name, Value&& value) {
    const std::size_t place = place_of(name);
    if (place < this->size()) return {this->begin() + static_cast<std::ptrdiff_t>(place), false};
    Base::emplace_back(std::forward<Name>(name), std::forward<Value>(value));
    add_to_index();
    return {std::prev(this->end()), true};
  }

  template <class Name>
  T& operator[](Name&& name) {
    return emplace(std::forward<Name>(name), T{}).first->second;
  }
  template <class Name>
  const T& operator[](Name&& name) const {
    return at(std::forward<Name>(name));
  }
  template <class Name>
  T& at(Name&& name) {
    const iterator found = find(name);
    if (found == this->end()) throw std::out_of_range("key not found");
    return found->second;
  }
  template <class Name>
  const T& at(Name&& name) const {
    const const_iterator found = find(name);
    if (found == this->end()) throw std::out_of_range("key not found");
    return found->second;
  }

  template <class Name>
  iterator find(Name&& name) {
    return this->begin() + static_cast<std::ptrdiff_t>(place_of(name));
  }
  template <class Name>
  const_iterator find(Name&& name) const {
    return this->begin() + static_cast<std::ptrdiff_t>(place_of(name));
  }
  template <class Name>
  size_type count(Name&& name) const {
    return place_of(name) < this->size() ? 1 : 0;
  }

  std::pair<iterator, bool> insert(value_type&& value) {
    return emplace(value.first, std::move(value.second));
  }
  std::pair<iterator, bool> insert(const value_type& value) { return emplace(value.first, T(value.second)); }
  template <class It>
  void insert(It first, It last) {
    for (; first != last; ++first) emplace(first->first, T(first->second));
  }

  // What is behind moves, so the index is made anew when something is added again.
  template <class Name>
  requires(!std::is_convertible_v<Name, const_iterator>) size_type erase(Name&& name) {
    const std::size_t place = place_of(name);
    if (place == this->size()) return 0;
    erase(this->begin() + static_cast<std::ptrdiff_t>(place));
    return 1;
  }
  iterator erase(iterator at) { return erase(at, std::next(at)); }
  iterator erase(iterator first, iterator last) {
    slots_.clear();
    return Base::erase(first, last);
  }
  void clear() {
    slots_.clear();
    Base::clear();
  }

 private:
  // Up to here a look through all is as fast.
  static constexpr std::size_t kMaxWithoutIndex = 32;
  static constexpr std::size_t kSlotsPerMember = 4;  // when the index is made; it is made anew at two
  static constexpr std::uint32_t kFree = 0;

  // The size where there is none.
  std::size_t place_of(std::string_view name) const {
    if (slots_.empty()) {
      std::size_t place = 0;
      while (place < this->size() && (*this).Base::Container::operator[](place).first != name) ++place;
      return place;
    }
    for (std::size_t slot = hash_of_name(name) & (slots_.size() - 1); slots_[slot] != kFree;
         slot = (slot + 1) & (slots_.size() - 1)) {
      const std::size_t place = slots_[slot] - 1;
      if ((*this).Base::Container::operator[](place).first == name) return place;
    }
    return this->size();
  }

  void add_to_index() {
    if (this->size() <= kMaxWithoutIndex) return;
    if (slots_.size() < 2 * this->size()) return make_index();
    put(this->size() - 1);
  }

  void make_index() {
    std::size_t slots = 1;
    while (slots < kSlotsPerMember * this->size()) slots *= 2;
    slots_.assign(slots, kFree);
    for (std::size_t place = 0; place < this->size(); ++place) put(place);
  }

  void put(std::size_t place) {
    std::size_t slot = hash_of_name((*this).Base::Container::operator[](place).first) & (slots_.size() - 1);
    while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(place) + 1;
  }

  std::vector<std::uint32_t> slots_;  // by hash: the place of a member from 1; empty: there is no index
};

}  // namespace lockstep::base
