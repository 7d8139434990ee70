import torch
import torch.distributed as dist

dist.init_process_group("gloo")
total = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(total)
assert total.item() == 3.0, total
print("torch", torch.__version__, "rank", dist.get_rank(), "sum", total.item())
dist.destroy_process_group()
