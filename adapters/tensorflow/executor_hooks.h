// Stands before the two functions through which every collective of TensorFlow passes, whoever issued it: an
// eager op, a graph of a tf.function, a loop of model.fit.
//
// First its parameters are completed (CompleteParamsAsync), where a rank waits until all members of a new
// group have come; then it runs (ExecuteAsync) and calls back when it is done. Both are virtual functions of
// BaseCollectiveExecutor, and callers reach them through its virtual table alone; so their entries there are
// exchanged. A kernel of our own for the collective ops would have to do the collective itself: theirs cannot
// be reached once another has a higher priority.
#pragma once

namespace lockstep::tensorflow_adapter {

// Null, or why it failed: then nothing is changed.
const char* install_hooks();

// From now on collectives are not seen. Those that are under way still tell their end.
const char* remove_hooks();

}  // namespace lockstep::tensorflow_adapter
