import horovod.tensorflow as hvd
import tensorflow as tf

hvd.init()
assert hvd.size() == 2 and hvd.mpi_built() and hvd.gloo_built()
total = float(hvd.allreduce(tf.constant(float(hvd.rank() + 1)), op=hvd.Sum))
assert total == 3.0, total
print("horovod on tensorflow", tf.__version__, "rank", hvd.rank(), "sum", total)
