import horovod.torch as hvd
import torch

hvd.init()
assert hvd.size() == 2 and hvd.mpi_built() and hvd.gloo_built()
total = hvd.allreduce(torch.tensor([float(hvd.rank() + 1)]), op=hvd.Sum)
assert total.item() == 3.0, total
print("horovod on torch", torch.__version__, "rank", hvd.rank(), "sum", total.item())
