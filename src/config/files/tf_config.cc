#include "config/files/tf_config.h"

#include "launchers/tf_config.h"

namespace lockstep::config {

void read_tf_config(std::string_view text, const Reading& reading) {
  const launchers::TfConfig config = launchers::read_tf_config(text);
  const Origin origin = reading.origin("TF_CONFIG");
  reading.settings.append(field::kLaunchers, "tf_config", origin);
  for (const launchers::TfConfig::Job& job : config.cluster) {
    const std::string path = field::member(field::kTensorflowCluster, job.name);
    reading.settings.set(path, base::Json::array(), origin);
    for (const std::string& address : job.addresses) reading.settings.append(path, address, origin);
  }
  if (config.type) reading.settings.set(field::kTensorflowTaskType, *config.type, origin);
  if (config.index) reading.settings.set(field::kTensorflowTaskIndex, *config.index, origin);
  if (!config.faults.empty()) reading.settings.set(field::kTensorflowFault, config.faults.back(), origin);
}

}  // namespace lockstep::config
