// docker run and podman run: what stands before the image and the program in it.
#include "launchers/launcher.h"

namespace lockstep::launchers {
namespace {

constexpr LauncherFlag kDockerFlags[] = {
    {"-e --env", 1},
    {"--env-file", 1},
    {"--network --net", 1},
    {"--ipc --pid --uts --userns --cgroupns", 1},
    {"--shm-size", 1},
    {"--ulimit", 1},
    {"--device", 1},
    {"--gpus --runtime", 1},
    {"--cap-add --cap-drop --security-opt", 1},
    {"-h --hostname", 1},
    {"--name", 1},
    {"-p --publish", 1},
    {"-v --volume", 1},
    {"--mount --tmpfs --workdir --user --entrypoint --memory --cpus --cpuset-cpus --pids-limit", 1},
    {"-w", 1},
    {"-u", 1},
    {"-m", 1},
    {"-l --label", 1},
    {"--add-host --dns --ip --ip6 --network-alias --expose --platform --restart --log-driver", 1},
    {"--log-opt --label-file --cidfile --group-add --sysctl --stop-signal --stop-timeout --pull", 1},
    {"--memory-swap --oom-score-adj --cpu-shares --cpu-quota --health-cmd --hooks-dir --annotation", 1},
    {"-a --attach", 1},
    {"-c", 1},
    {"-i --interactive", 0},
    {"-t --tty", 0},
    {"-d --detach", 0},
    {"-P --publish-all", 0},
    {"-q --quiet", 0},
    {"--rm --privileged --init --read-only --no-healthcheck --oom-kill-disable", 0},
};

}  // namespace

const LauncherTable kDockerRunFlags{"docker run", kDockerFlags, {.short_may_be_joined = true}};

}  // namespace lockstep::launchers
