#include "events.h"

#include <atomic>

#include "try_lock.h"

namespace lockstep::adapters::nccl {
namespace {

constexpr unsigned kWithoutTiming = 2;
constexpr std::size_t kMostContexts = 16;
constexpr std::size_t kMostSpare = 1024;

// The spare events of one context.
struct Shelf {
  Context context;
  std::size_t count;
  Event events[kMostSpare];
};
Shelf shelves[kMostContexts];
TryLock shelves_lock;

Shelf* shelf_of(Context context) {
  for (Shelf& shelf : shelves) {
    if (shelf.context == nullptr) shelf.context = context;
    if (shelf.context == context) return &shelf;
  }
  return nullptr;
}

Event take_spare(Context context) {
  if (!shelves_lock.try_lock()) return nullptr;
  Shelf* shelf = shelf_of(context);
  Event event = nullptr;
  if (shelf != nullptr && shelf->count > 0) event = shelf->events[--shelf->count];
  shelves_lock.unlock();
  return event;
}

Event make_event(const Driver& driver) {
  const CaptureTruce truce(driver);
  Event event = nullptr;
  return driver.create_event(&event, kWithoutTiming) == 0 ? event : nullptr;
}

}  // namespace

RecordedEvent record_event(const Driver& driver, Stream stream) {
  Context context = nullptr;
  Context current = nullptr;
  if (driver.context_of_stream(stream, &context) != 0 || context == nullptr) return {};
  if (driver.current_context(&current) != 0) return {};
  const bool is_elsewhere = current != context;
  if (is_elsewhere && driver.push_context(context) != 0) return {};
  Event event = take_spare(context);
  if (event == nullptr) event = make_event(driver);
  RecordedEvent recorded;
  if (event != nullptr && driver.record_event(event, stream) == 0) recorded = {event, context};
  if (is_elsewhere) driver.pop_context(&context);
  return recorded;
}

void give_back(const Driver& driver, RecordedEvent recorded) {
  shelves_lock.lock();
  Shelf* shelf = shelf_of(recorded.context);
  const bool has_room = shelf != nullptr && shelf->count < kMostSpare;
  if (has_room) shelf->events[shelf->count++] = recorded.event;
  shelves_lock.unlock();
  if (!has_room) driver.destroy_event(recorded.event);
}

}  // namespace lockstep::adapters::nccl
