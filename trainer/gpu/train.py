#!/usr/bin/env python3
"""Trains a network on a graphics processor, as `herald-trainer train` does on the processor.

The inputs of a batch are one matrix of zeros and ones, so that the tensor cores do the work. Files are those of `herald-trainer
pack`. See docs/NETWORKS.md.
"""

import argparse
import math
import os
import struct
import sys
import time

import numpy as np
import torch

KING_BUCKETS, PIECE_INPUTS, BUCKETS = 5, 768, 8
INPUTS = KING_BUCKETS * PIECE_INPUTS
# One more column takes the empty squares; the matrix is wider than that since the tensor cores want multiples of 8.
COLUMNS = INPUTS + 8
# The bucket of a king by its square, with files a to d; see search/src/network/features.rs.
BUCKET_OF_KING = [0, 0, 1, 1] + [2] * 4 + [3] * 8 + [4] * 16
HEADER, RECORD, NETWORK_HEADER = 28, 28, 44
LIMIT = 1.9
HIDDEN_UNIT, ACTIVATED_UNIT, OUTPUT_LIMIT = 512, 1024, 8191
OUTPUT_SUM = (2**31 - 1) // ACTIVATED_UNIT
# The gradients of a position are multiplied by this while they have 16 bits.
GRADIENT_UNIT = 16.0


def read(paths, device):
    """Returns the records for training and those held out."""
    parts = [[], []]
    for path in paths:
        records, training = read_records(path)
        parts[0].append(torch.from_numpy(records[:training]).to(device))
        parts[1].append(torch.from_numpy(records[training:]).to(device))
    return [torch.cat(part) for part in parts]


def read_records(path):
    """Returns the records of a file, and how many of them are for training. Its fingerprint is not checked."""
    try:
        with open(path, "rb") as file:
            header = file.read(HEADER)
        if len(header) < HEADER or header[:8] != b"HRLDPACK":
            sys.exit(f"{path} is no packed file")
        version, training, held_out = struct.unpack_from("<IQQ", header, 8)
        if version != 1:
            sys.exit(f"{path}: format version {version} is not supported, expected 1")
        if os.path.getsize(path) != HEADER + (training + held_out) * RECORD + 8:
            sys.exit(f"{path} is damaged or incomplete")
        records = np.fromfile(path, np.uint8, (training + held_out) * RECORD, offset=HEADER).reshape(-1, RECORD)
    except OSError as error:
        sys.exit(f"{path} can't be read: {error.strerror}")
    for some in np.array_split(records, len(records) // 1_000_000 + 1):
        pieces, half_points, count = some[:, 8:24], some[:, 26], some[:, 27]
        if not ((pieces & 15 < 12) & (pieces >> 4 < 12)).all() or not ((half_points <= 2) & (2 <= count) & (count <= 32)).all():
            sys.exit(f"{path} is damaged")
    return records, training


def field(records, start, end, kind):
    """Returns some bytes of each record as a number."""
    return records[:, start:end].clone(memory_format=torch.contiguous_format).view(kind)


class Inputs:
    """Turns records into the matrix of inputs: first a row for each side to move, then one for each opponent."""

    def __init__(self, device, kind):
        self.kind = kind
        self.squares = torch.arange(64, device=device)
        table = [BUCKET_OF_KING[rank * 4 + file] for rank in range(8) for file in range(4)]
        table = [table[rank * 4 + min(file, 7 - file)] for rank in range(8) for file in range(8)]
        self.first = PIECE_INPUTS * torch.tensor(table, device=device)

    def view(self, king):
        return self.first[king][:, None], 7 * (king % 8 >= 4)[:, None]

    def matrix(self, records):
        occupied = field(records, 0, 8, torch.int64)
        on = (occupied >> self.squares) & 1
        empty = on == 0
        place = (on.cumsum(1) - 1).clamp(min=0)
        pair = records[:, 8:24].long().gather(1, place // 2)
        code = (pair >> (4 * (place % 2))) & 15
        code = code.masked_fill(empty, 12)
        ours, flip = self.view((code == 5).int().argmax(1))
        theirs, their_flip = self.view((code == 11).int().argmax(1) ^ 56)
        by_side = [
            ours + code * 64 + (self.squares ^ flip),
            theirs + (code + 6) % 12 * 64 + (self.squares ^ 56 ^ their_flip),
        ]
        columns = torch.cat([side.masked_fill(empty, INPUTS) for side in by_side])
        matrix = torch.zeros(len(columns), COLUMNS, dtype=self.kind, device=records.device)
        matrix.scatter_(1, columns, 1.0)
        matrix[:, INPUTS:] = 0
        return matrix


def product(left, right):
    """Returns a matrix product in 32 bits."""
    if left.dtype == torch.float32:
        return left @ right
    return torch.mm(left, right, out_dtype=torch.float32)


class Trainer:
    def __init__(self, options, data, device):
        self.options, self.data, self.device = options, data, device
        self.kind = torch.float16 if device.type == "cuda" else torch.float32
        self.inputs = Inputs(device, self.kind)
        hidden = options.hidden
        generator = torch.Generator(device).manual_seed(options.seed)

        def uniform(reach, *shape):
            return reach * (2 * torch.rand(*shape, generator=generator, device=device) - 1)

        first = 1 / math.sqrt(PIECE_INPUTS)
        rows = uniform(first, PIECE_INPUTS, hidden).repeat(KING_BUCKETS, 1)
        self.weights = [
            torch.cat([rows, torch.zeros(COLUMNS - INPUTS, hidden, device=device)]),
            uniform(first, hidden),
            uniform(1 / math.sqrt(2 * hidden), 2 * hidden, BUCKETS),
            torch.zeros(BUCKETS, device=device),
        ]
        if options.start:
            self.start(read_network(options.start))
        self.means = [torch.zeros_like(weight) for weight in self.weights]
        self.squares = [torch.zeros_like(weight) for weight in self.weights]
        self.steps = len(data) // options.batch
        self.step_number = torch.zeros((), dtype=torch.int64, device=device)
        self.order = torch.zeros(len(data), dtype=torch.int64, device=device)
        self.places = torch.arange(options.batch, device=device)
        self.loss_sum = torch.zeros((), dtype=torch.float64, device=device)

    def loss(self, records, outputs):
        """Returns losses and their derivatives by the output; see `Target::loss` in trainer/src/train/model.rs."""
        points = records[:, 26] / 2
        score = field(records, 24, 26, torch.int16)[:, 0].float()
        share = self.options.result_share
        expected = torch.sigmoid(outputs)
        error = expected - (share * points + (1 - share) * torch.sigmoid(score / self.options.scale))
        return error**2, 2 * error * expected * (1 - expected)

    def forward(self, records):
        matrix = self.inputs.matrix(records)
        neurons = matrix @ self.weights[0].to(self.kind) + self.weights[1].to(self.kind)
        clipped = neurons.clamp(0, 1)
        both = torch.cat(clipped.chunk(2), 1)
        bucket = (records[:, 27].long() - 2) * BUCKETS // 32
        outputs = product(both * both, self.weights[2].to(self.kind)) + self.weights[3]
        return matrix, neurons, both, bucket, outputs.gather(1, bucket[:, None])[:, 0]

    def step(self):
        """Learns from a batch. Nothing here waits for the processor."""
        options = self.options
        at = (self.step_number % self.steps) * options.batch
        records = self.data[self.order[at + self.places]]
        matrix, neurons, both, bucket, outputs = self.forward(records)
        losses, slopes = self.loss(records, outputs)
        self.loss_sum += losses.sum(dtype=torch.float64)
        slopes = (slopes * GRADIENT_UNIT)[:, None]
        of_bucket = torch.zeros(len(records), BUCKETS, device=self.device).scatter_(1, bucket[:, None], slopes)
        of_neurons = 2 * both * (slopes.to(self.kind) * self.weights[2].to(self.kind).t()[bucket])
        of_neurons = torch.cat(of_neurons.chunk(2, 1))
        of_neurons = of_neurons.masked_fill((neurons <= 0) | (neurons >= 1), 0)
        gradients = [
            product(matrix.t(), of_neurons),
            of_neurons.sum(0, dtype=torch.float32),
            product((both * both).t(), of_bucket.to(self.kind)),
            of_bucket.sum(0),
        ]
        self.step_number += 1
        done = (self.step_number - 1) / (self.steps * options.epochs)
        rate = options.rate * (0.01 + 0.99 * (1 + torch.cos(math.pi * done)) / 2)
        corrections = [1 - momentum ** self.step_number for momentum in (0.9, 0.999)]
        for weight, mean, square, gradient in zip(self.weights, self.means, self.squares, gradients):
            gradient /= GRADIENT_UNIT * options.batch
            mean.lerp_(gradient, 0.1)
            square.lerp_(gradient * gradient, 0.001)
            change = mean / corrections[0] / ((square / corrections[1]).sqrt() + 1e-8)
            weight -= rate * (change + options.decay * weight)
            weight.clamp_(-LIMIT, LIMIT)

    def capture(self):
        """Returns a function for a step: on a graphics processor, the whole step as one graph."""
        if self.device.type != "cuda":
            return self.step
        kept = [tensor.clone() for tensor in self.state()]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self.step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step()
        for tensor, value in zip(self.state(), kept):
            tensor.copy_(value)
        return graph.replay

    def state(self):
        return self.weights + self.means + self.squares + [self.step_number, self.loss_sum]

    def mean_loss(self, records):
        total = 0.0
        for part in records.split(self.options.batch):
            total += self.loss(part, self.forward(part)[-1])[0].sum().item()
        return total / max(len(records), 1)

    def train(self, held_out):
        generator = torch.Generator(self.device).manual_seed(self.options.seed + 1)
        step = self.capture()
        for epoch in range(self.options.epochs):
            begun = time.time()
            torch.randperm(len(self.data), generator=generator, out=self.order)
            self.loss_sum.zero_()
            for _ in range(self.steps):
                step()
            training = self.loss_sum.item() / (self.steps * self.options.batch)
            speed = self.steps * self.options.batch / (time.time() - begun) / 1e6
            if not math.isfinite(training):
                sys.exit("the loss is no number any more: use a smaller --rate")
            self.write(self.options.output)
            losses = f"loss {training:.6f}, held out {self.mean_loss(held_out):.6f}"
            print(f"epoch {epoch + 1}/{self.options.epochs}: {losses}, {speed:.2f} M positions/s", flush=True)

    def start(self, network):
        """Begins with the weights of a network."""
        file, hidden, unit, centipawns = network
        narrow = np.frombuffer(file, "<i2", (INPUTS + 1 + 2 * BUCKETS) * hidden, NETWORK_HEADER).astype(np.float32)
        first, biases, last = np.split(narrow, [INPUTS * hidden, (INPUTS + 1) * hidden])
        factor = unit * self.options.scale / centipawns
        output_biases = np.frombuffer(file[-4 * BUCKETS:], "<i4") / (ACTIVATED_UNIT * factor)
        into = [first.reshape(INPUTS, hidden) / HIDDEN_UNIT, biases / HIDDEN_UNIT,
                last.reshape(BUCKETS, 2 * hidden).T / factor, output_biases]
        for weight, value in zip(self.weights, into):
            weight[:len(value)] = torch.from_numpy(np.ascontiguousarray(value, np.float32))

    def write(self, path):
        """Writes the network in whole numbers; see trainer/src/train/quantised.rs and search/src/network/format.rs."""
        first, biases, last, output_biases = (weight.double().cpu().numpy() for weight in self.weights)
        first, last, scale = first[:INPUTS], last.T, self.options.scale
        hidden = len(biases)
        most = max(np.abs(last.reshape(-1, hidden)).sum(1).max(), 1e-6)
        unit = int(min(OUTPUT_LIMIT / max(np.abs(last).max(), 1e-6), (OUTPUT_SUM - hidden / 2) / most))
        unit, centipawns = min(max(unit, 16), 4096), round(scale)
        factor = unit * scale / centipawns
        weights = b"".join(np.round(part).astype(kind).tobytes() for part, kind in [
            (first * HIDDEN_UNIT, "<i2"), (biases * HIDDEN_UNIT, "<i2"),
            (np.clip(last * factor, -OUTPUT_LIMIT, OUTPUT_LIMIT), "<i2"),
            (output_biases * ACTIVATED_UNIT * factor, "<i4")])
        numbers = (2, INPUTS, hidden, BUCKETS, HIDDEN_UNIT, unit, centipawns)
        with open(path + ".part", "wb") as file:
            file.write(b"HRLDNETW" + struct.pack("<7IQ", *numbers, fingerprint(weights)) + weights)
        os.replace(path + ".part", path)


def read_network(path):
    """Returns the bytes of a network, its number of neurons, unit of the output and centipawns."""
    try:
        with open(path, "rb") as file:
            network = file.read()
    except OSError as error:
        sys.exit(f"{path} can't be read: {error.strerror}")
    if len(network) < NETWORK_HEADER or network[:8] != b"HRLDNETW":
        sys.exit(f"{path} is no network")
    _, inputs, hidden, buckets, _, unit, centipawns = struct.unpack_from("<7I", network, 8)
    if (inputs, buckets) != (INPUTS, BUCKETS):
        sys.exit(f"{path} has {inputs} inputs and {buckets} buckets, expected {INPUTS} and {BUCKETS}")
    if len(network) != NETWORK_HEADER + 2 * (inputs + 1 + 2 * buckets) * hidden + 4 * buckets:
        sys.exit(f"{path} is damaged or incomplete")
    return network, hidden, unit, centipawns


def fingerprint(data):
    """Returns the 64-bit FNV-1a hash."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", help="files of herald-trainer pack")
    parser.add_argument("--output", required=True, help="network file to write, after each epoch; must not be there yet")
    parser.add_argument("--start", help="network to begin with")
    parser.add_argument("--hidden", type=int, help="neurons, a multiple of 64; by default those of --start, else 256")
    parser.add_argument("--epochs", type=int, default=4, help="passes over the positions")
    parser.add_argument("--batch", type=int, default=16384, help="positions a step")
    parser.add_argument("--rate", type=float, default=1e-3, help="first learning rate; the last is a hundredth of it")
    parser.add_argument("--decay", type=float, default=0.02, help="weight decay, relative to the rate")
    parser.add_argument("--result-share", type=float, default=0.0,
                        help="weight of game results in the target, from 0, scores alone, to 1; the rest is the weight of scores")
    parser.add_argument("--scale", type=float, required=True,
                        help="centipawns for an expected result of 73 %%; herald-trainer pack prints what fits the results best")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.hidden = options.hidden or (read_network(options.start)[1] if options.start else 256)
    check(parser, options)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cpu":
        print("no graphics processor found: herald-trainer train is far faster", file=sys.stderr)
    with torch.inference_mode():
        data, held_out = read(options.files, device)
        print(f"{len(data)} training positions, {len(held_out)} held out, on {device}", flush=True)
        if len(data) < options.batch:
            sys.exit("fewer positions than a batch: use a smaller --batch")
        Trainer(options, data, device).train(held_out)


def check(parser, options):
    """Ends with a message if an option can't be used."""
    folder = os.path.dirname(options.output) or "."
    rules = [
        (not os.path.exists(options.output), f"--output: {options.output} exists already"),
        (os.path.isdir(folder) and os.access(folder, os.W_OK), f"--output: {folder} is no folder to write to"),
        (options.hidden in range(64, 2049, 64), "--hidden: not a multiple of 64 from 64 to 2048"),
        (not options.start or read_network(options.start)[1] == options.hidden, "--hidden: --start has other neurons"),
        (50 <= options.scale <= 1000, "--scale: not from 50 to 1000"),
        (options.epochs >= 1 and options.batch >= 1, "--epochs and --batch: at least 1"),
        (0 < options.rate <= 1 and 0 <= options.decay <= 10, "--rate or --decay: out of range"),
        (0 <= options.result_share <= 1, "--result-share: not from 0 to 1"),
    ]
    for holds, fault in rules:
        if not holds:
            parser.error(fault)


if __name__ == "__main__":
    sys.exit(main())
