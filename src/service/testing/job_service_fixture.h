// A service for tests, with everything around it in the test's hands.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "service/job_service.h"
#include "service/testing/fakes.h"

namespace lockstep::service {

// A service on a machine with two cores, whose engine and clock are the test's.
class JobServiceTest : public ::testing::Test {
 protected:
  JobServiceTest() {
    std::string name = "/tmp/lockstep-service-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    begin_service();
  }
  ~JobServiceTest() override {
    service_.reset();
    std::filesystem::remove_all(folder_);
  }

  // As after a restart: the store and what runs are there, the service knows nothing.
  void begin_service(std::chrono::milliseconds kept_for = {}) {
    std::map<FakeEngine::Name, Standing> standings;
    if (engine_ != nullptr) standings = engine_->standings;
    service_.reset();
    auto engine = std::make_unique<FakeEngine>(folder_ / "jobs");
    auto clock = std::make_unique<FakeClock>();
    auto store = std::make_unique<FlakyStore>(folder_);
    store_ = store.get();
    engine_ = engine.get();
    clock_ = clock.get();
    engine_->standings = std::move(standings);
    Clusters clusters;
    clusters.by_engine[EngineKind::kLocal] = std::make_unique<OneMachine>(machine_.total);
    clusters.by_engine[EngineKind::kSlurm] = std::make_unique<OneMachine>(machine_.total);
    service_ = std::make_unique<JobService>(std::move(store), std::move(engine), std::move(clusters),
                                            machine_, ReportMaker("/bin/false"), kept_for, std::move(clock));
    ASSERT_TRUE(service_->recover().ok());
  }

  Submitted submit(base::Json request) {
    request["command"] = {"true"};
    const Submission one{"ann", request, "", std::nullopt};
    return std::move(service_->submit({&one, 1}).value().front());
  }
  std::string submitted(base::Json request) { return submit(std::move(request)).job.id; }
  void tick() { ASSERT_TRUE(service_->tick().ok()); }
  void tick_after(std::chrono::milliseconds time) {
    clock_->advance(time);
    tick();
  }
  void end(const std::string& id, int status, EndReason reason = {}) {
    engine_->end({id, 1}, status, clock_->wall_ms(), std::move(reason));
  }
  JobState state_of(const std::string& id) { return service_->store().job(id).value()->state; }
  std::vector<std::string> events_of(const std::string& id) {
    std::vector<std::string> kinds;
    const std::vector<Event> events = service_->store().events(id, 0, 100).value();
    for (const Event& event : events) kinds.push_back(event.kind);
    return kinds;
  }

  std::filesystem::path folder_;
  Machine machine_{{2000, std::int64_t{1} << 30, 0}, {}};
  FakeEngine* engine_ = nullptr;
  FakeClock* clock_ = nullptr;
  FlakyStore* store_ = nullptr;
  std::unique_ptr<JobService> service_;
};

}  // namespace lockstep::service
