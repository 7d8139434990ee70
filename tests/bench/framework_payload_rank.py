"""One rank of tests/bench/framework_payload: framework_payload_rank.py FRAMEWORK. Rank 0 prints the median of its steps as JSON."""

import json
import statistics
import sys
import time

WIDTH, WARM_UP, STEPS = 1024, 3, 60  # two layers of 1,024 x 1,024 numbers of 4 bytes
ROWS = {"horovod-torch": 32}.get(sys.argv[1], 1024)  # its PyTorch, from Debian, multiplies matrices without an optimized library


class StepTimes:
    def __init__(self):
        self._ends = []

    def step_ended(self):
        self._ends.append((time.perf_counter(), time.process_time()))

    def print_medians(self):
        steps = list(zip(self._ends[WARM_UP:], self._ends[WARM_UP + 1:]))
        print(json.dumps({clock: statistics.median(after[at] - before[at] for before, after in steps)
                          for at, clock in enumerate(("wall", "cpu"))}), flush=True)


def run(step, rank):
    times = StepTimes()
    for _ in range(WARM_UP + STEPS):
        step()
        times.step_ended()
    if rank == 0:
        times.print_medians()


def torch_model():
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, WIDTH))
    return model, torch.randn(ROWS, WIDTH)


def torch_step(model, optimizer, inputs):
    def step():
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()

    return step


def torch_ddp():
    import torch
    torch.distributed.init_process_group("gloo")
    model, inputs = torch_model()
    model = torch.nn.parallel.DistributedDataParallel(model)
    run(torch_step(model, torch.optim.SGD(model.parameters(), lr=0.01), inputs), torch.distributed.get_rank())
    torch.distributed.destroy_process_group()


def horovod_torch():
    import horovod.torch as hvd
    import torch
    hvd.init()
    model, inputs = torch_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    optimizer = hvd.DistributedOptimizer(optimizer, named_parameters=model.named_parameters())
    run(torch_step(model, optimizer, inputs), hvd.rank())


def one_thread():
    import tensorflow as tf
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    return tf


def layers(tf):
    return [tf.Variable(tf.random.stateless_normal([WIDTH, WIDTH], [1, number]) * 0.03) for number in range(2)]


def loss_of(tf, inputs, weights):
    return tf.reduce_mean(tf.square(tf.tanh(inputs @ weights[0]) @ weights[1]))


def tensorflow_strategy():
    tf = one_thread()
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        weights = layers(tf)
    inputs = tf.random.stateless_normal([ROWS, WIDTH], [2, 2])

    def on_replica():
        with tf.GradientTape() as tape:
            loss = loss_of(tf, inputs, weights)
        gradients = tf.distribute.get_replica_context().all_reduce("sum", tape.gradient(loss, weights))
        for variable, gradient in zip(weights, gradients):
            variable.assign_sub(0.01 * gradient)

    run(tf.function(lambda: strategy.run(on_replica)), strategy.cluster_resolver.task_id)


def keras_fit():
    tf = one_thread()
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(WIDTH, "tanh", input_shape=(WIDTH,)), tf.keras.layers.Dense(WIDTH)])
        model.compile(optimizer=tf.keras.optimizers.SGD(0.01), loss="mse")
    one = tf.random.stateless_normal([2 * ROWS, WIDTH], [2, 2])  # of a global batch
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    data = tf.data.Dataset.from_tensors((one, one)).repeat(WARM_UP + STEPS).with_options(options)
    times = StepTimes()
    model.fit(data, verbose=0, callbacks=[tf.keras.callbacks.LambdaCallback(on_batch_end=lambda *_, **__: times.step_ended())])
    if strategy.cluster_resolver.task_id == 0:
        times.print_medians()


def horovod_tensorflow():
    import horovod.tensorflow as hvd
    tf = one_thread()
    hvd.init()
    weights = layers(tf)
    inputs = tf.random.stateless_normal([ROWS, WIDTH], [2, 2])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(tf, inputs, weights)
        for variable, gradient in zip(weights, hvd.DistributedGradientTape(tape).gradient(loss, weights)):
            variable.assign_sub(0.01 * gradient)

    run(step, hvd.rank())


{"torch": torch_ddp, "tensorflow": tensorflow_strategy, "keras": keras_fit, "horovod-torch": horovod_torch,
 "horovod-tensorflow": horovod_tensorflow}[sys.argv[1]]()
