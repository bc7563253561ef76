#!/usr/bin/env python3
"""Full-size networks with random weights as ONNX files, as PyTorch's exporter writes them. Usage: networks.py FOLDER
[NAME ...]. Needs PyTorch (Debian's python3-torch). The definitions follow the papers; batch normalization has the
statistics of random pictures, so that no layer's signal dies out. A seed makes the files the same each time."""

import os
import sys

import torch
from torch import nn
from torch.nn import functional


def unit(inputs, outputs, kernel=3, stride=1, groups=1, act=nn.ReLU, dilation=1):
    """Convolution, batch normalization, activation."""
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, (kernel - 1) // 2 * dilation, dilation, groups, bias=False),
              nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([act()] if act else []))


class Excite(nn.Module):
    """Squeeze and excite: a factor for each channel, from the channels' means."""

    def __init__(self, channels, squeezed, act, gate):
        super().__init__()
        self.fc1, self.fc2 = nn.Conv2d(channels, squeezed, 1), nn.Conv2d(squeezed, channels, 1)
        self.act, self.gate = act(), gate()

    def forward(self, x):
        return x * self.gate(self.fc2(self.act(self.fc1(functional.adaptive_avg_pool2d(x, 1)))))


class Inverted(nn.Module):
    """MobileNet's block: wider, a kernel for each channel, perhaps factors, narrower."""

    def __init__(self, inputs, wide, outputs, kernel, stride, act, excite=None, dilation=1):
        super().__init__()
        layers = [unit(inputs, wide, 1, act=act)] if wide != inputs else []
        layers.append(unit(wide, wide, kernel, stride, wide, act, dilation))
        if excite:
            layers.append(excite)
        self.way = nn.Sequential(*layers, unit(wide, outputs, 1, act=None))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.way(x) if self.adds else self.way(x)


def classifier(features, channels, classes=1000, wide=None, act=None):
    head = [nn.Linear(channels, wide), act(), nn.Linear(wide, classes)] if wide else [nn.Linear(channels, classes)]
    return nn.Sequential(*features, nn.AdaptiveAvgPool2d(1), nn.Flatten(), *head)


def efficientnet_b0():
    rows = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
            (6, 3, 1, 320, 1)]
    layers, channels = [unit(3, 32, 3, 2, act=nn.SiLU)], 32
    for wider, kernel, stride, outputs, count in rows:
        for i in range(count):
            wide = channels * wider
            layers.append(Inverted(channels, wide, outputs, kernel, stride if i == 0 else 1, nn.SiLU,
                                   Excite(wide, max(1, channels // 4), nn.SiLU, nn.Sigmoid)))
            channels = outputs
    return classifier([*layers, unit(320, 1280, 1, act=nn.SiLU)], 1280)


V3_LARGE = [(3, 16, 16, False, nn.ReLU, 1), (3, 64, 24, False, nn.ReLU, 2), (3, 72, 24, False, nn.ReLU, 1),
            (5, 72, 40, True, nn.ReLU, 2), (5, 120, 40, True, nn.ReLU, 1), (5, 120, 40, True, nn.ReLU, 1),
            (3, 240, 80, False, nn.Hardswish, 2), (3, 200, 80, False, nn.Hardswish, 1),
            (3, 184, 80, False, nn.Hardswish, 1), (3, 184, 80, False, nn.Hardswish, 1),
            (3, 480, 112, True, nn.Hardswish, 1), (3, 672, 112, True, nn.Hardswish, 1),
            (5, 672, 160, True, nn.Hardswish, 2), (5, 960, 160, True, nn.Hardswish, 1),
            (5, 960, 160, True, nn.Hardswish, 1)]


def mobilenet_v3_features(dilated=False):
    layers, channels = [unit(3, 16, 3, 2, act=nn.Hardswish)], 16
    for i, (kernel, wide, outputs, excites, act, stride) in enumerate(V3_LARGE):
        last = dilated and i >= 12
        excite = Excite(wide, max(8, (wide // 4 + 4) // 8 * 8), nn.ReLU, nn.Hardsigmoid) if excites else None
        layers.append(Inverted(channels, wide, outputs, kernel, 1 if last else stride, act, excite, 2 if last else 1))
        channels = outputs
    return [*layers, unit(160, 960, 1, act=nn.Hardswish)]


def mobilenet_v3():
    return classifier(mobilenet_v3_features(), 960, wide=1280, act=nn.Hardswish)


class Shuffled(nn.Module):
    """ShuffleNetV2's block."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        half, of = outputs // 2, inputs if stride > 1 else outputs // 2
        self.split = stride == 1
        self.short = nn.Sequential() if self.split else nn.Sequential(unit(inputs, inputs, 3, stride, inputs, None),
                                                                      unit(inputs, half, 1))
        self.way = nn.Sequential(unit(of, half, 1), unit(half, half, 3, stride, half, None), unit(half, half, 1))

    def forward(self, x):
        a, b = x.chunk(2, dim=1) if self.split else (x, x)
        y = torch.cat((self.short(a), self.way(b)), 1)
        n, c, h, w = y.shape
        return y.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


def shufflenet_v2():
    layers, channels = [unit(3, 24, 3, 2), nn.MaxPool2d(3, 2, 1)], 24
    for outputs, count in ((116, 4), (232, 8), (464, 4)):
        for i in range(count):
            layers.append(Shuffled(channels, outputs, 2 if i == 0 else 1))
            channels = outputs
    return classifier([*layers, unit(464, 1024, 1)], 1024)


class Dense(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.way = nn.Sequential(nn.BatchNorm2d(channels), nn.ReLU(), unit(channels, 128, 1),
                                 nn.Conv2d(128, 32, 3, 1, 1, bias=False))

    def forward(self, x):
        return torch.cat((x, self.way(x)), 1)


def densenet_121():
    layers, channels = [unit(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for i, count in enumerate((6, 12, 24, 16)):
        for _ in range(count):
            layers.append(Dense(channels))
            channels += 32
        if i < 3:
            layers += [nn.BatchNorm2d(channels), nn.ReLU(), nn.Conv2d(channels, channels // 2, 1, bias=False),
                       nn.AvgPool2d(2)]
            channels //= 2
    return classifier([*layers, nn.BatchNorm2d(channels), nn.ReLU()], channels)


class Inception(nn.Module):
    def __init__(self, inputs, a, b, c, d):
        super().__init__()
        self.ways = nn.ModuleList([unit(inputs, a, 1), nn.Sequential(unit(inputs, b[0], 1), unit(b[0], b[1])),
                                   nn.Sequential(unit(inputs, c[0], 1), unit(c[0], c[1])),
                                   nn.Sequential(nn.MaxPool2d(3, 1, 1), unit(inputs, d, 1))])

    def forward(self, x):
        return torch.cat([way(x) for way in self.ways], 1)


def googlenet():
    pool = nn.MaxPool2d(3, 2, ceil_mode=True)
    return classifier([
        unit(3, 64, 7, 2), pool, unit(64, 64, 1), unit(64, 192), pool,
        Inception(192, 64, (96, 128), (16, 32), 32), Inception(256, 128, (128, 192), (32, 96), 64), pool,
        Inception(480, 192, (96, 208), (16, 48), 64), Inception(512, 160, (112, 224), (24, 64), 64),
        Inception(512, 128, (128, 256), (24, 64), 64), Inception(512, 112, (144, 288), (32, 64), 64),
        Inception(528, 256, (160, 320), (32, 128), 128), nn.MaxPool2d(2, 2, ceil_mode=True),
        Inception(832, 256, (160, 320), (32, 128), 128), Inception(832, 384, (192, 384), (48, 128), 128)], 1024)


class Fire(nn.Module):
    def __init__(self, inputs, squeezed, outputs):
        super().__init__()
        self.squeeze = nn.Sequential(nn.Conv2d(inputs, squeezed, 1), nn.ReLU())
        self.ways = nn.ModuleList([nn.Sequential(nn.Conv2d(squeezed, outputs, k, padding=k // 2), nn.ReLU())
                                   for k in (1, 3)])

    def forward(self, x):
        x = self.squeeze(x)
        return torch.cat([way(x) for way in self.ways], 1)


def squeezenet():
    pool = nn.MaxPool2d(3, 2, ceil_mode=True)
    return nn.Sequential(nn.Conv2d(3, 96, 7, 2), nn.ReLU(), pool, Fire(96, 16, 64), Fire(128, 16, 64),
                         Fire(128, 32, 128), pool, Fire(256, 32, 128), Fire(256, 48, 192), Fire(384, 48, 192),
                         Fire(384, 64, 256), pool, Fire(512, 64, 256), nn.Conv2d(512, 1000, 1), nn.ReLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten())


class Bottleneck(nn.Module):
    """YOLOv5's C3: some convolutions beside a short way."""

    def __init__(self, inputs, outputs, count, adds):
        super().__init__()
        half = outputs // 2
        self.one, self.two = unit(inputs, half, 1, act=nn.SiLU), unit(inputs, half, 1, act=nn.SiLU)
        self.out = unit(outputs, outputs, 1, act=nn.SiLU)
        self.adds = adds
        self.ways = nn.ModuleList([nn.Sequential(unit(half, half, 1, act=nn.SiLU), unit(half, half, act=nn.SiLU))
                                   for _ in range(count)])

    def forward(self, x):
        y = self.one(x)
        for way in self.ways:
            y = y + way(y) if self.adds else way(y)
        return self.out(torch.cat((y, self.two(x)), 1))


class Pyramid(nn.Module):
    """YOLOv5's SPPF: three poolings one after the other."""

    def __init__(self, channels):
        super().__init__()
        self.one, self.out = unit(channels, channels // 2, 1, act=nn.SiLU), unit(channels * 2, channels, 1, act=nn.SiLU)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        x = self.one(x)
        a = self.pool(x)
        b = self.pool(a)
        return self.out(torch.cat((x, a, b, self.pool(b)), 1))


class Yolo(nn.Module):
    """YOLOv5n: three scales, 85 numbers for each of three anchors, decoded."""

    def __init__(self, classes=80):
        super().__init__()
        s = nn.SiLU
        self.stem = nn.Sequential(unit(3, 16, 6, 2, act=s), unit(16, 32, 3, 2, act=s), Bottleneck(32, 32, 1, True))
        self.stem[0][0].padding = (2, 2)
        self.p3 = nn.Sequential(unit(32, 64, 3, 2, act=s), Bottleneck(64, 64, 2, True))
        self.p4 = nn.Sequential(unit(64, 128, 3, 2, act=s), Bottleneck(128, 128, 3, True))
        self.p5 = nn.Sequential(unit(128, 256, 3, 2, act=s), Bottleneck(256, 256, 1, True), Pyramid(256))
        self.a, self.b = unit(256, 128, 1, act=s), unit(128, 64, 1, act=s)
        self.c4, self.c3 = Bottleneck(256, 128, 1, False), Bottleneck(128, 64, 1, False)
        self.d3, self.d4 = unit(64, 64, 3, 2, act=s), unit(128, 128, 3, 2, act=s)
        self.n4, self.n5 = Bottleneck(128, 128, 1, False), Bottleneck(256, 256, 1, False)
        self.up = nn.Upsample(scale_factor=2)
        self.heads = nn.ModuleList([nn.Conv2d(c, 3 * (5 + classes), 1) for c in (64, 128, 256)])
        self.anchors = [[(10, 13), (16, 30), (33, 23)], [(30, 61), (62, 45), (59, 119)], [(116, 90), (156, 198), (373, 326)]]

    def decoded(self, x, stride, anchors):
        n, c, h, w = x.shape
        x = x.view(n, 3, c // 3, h, w).permute(0, 1, 3, 4, 2).sigmoid()
        y, x0 = torch.meshgrid(torch.arange(float(h)), torch.arange(float(w)), indexing="ij")
        grid = torch.stack((x0, y), 2).view(1, 1, h, w, 2) - 0.5
        size = torch.tensor(anchors, dtype=torch.float).view(1, 3, 1, 1, 2)
        at, extent, rest = x.split((2, 2, c // 3 - 4), 4)
        return torch.cat(((at * 2 + grid) * stride, (extent * 2) ** 2 * size, rest), 4).view(n, -1, c // 3)

    def forward(self, x):
        p3 = self.p3(self.stem(x))
        p4 = self.p4(p3)
        a = self.a(self.p5(p4))
        b = self.b(self.c4(torch.cat((self.up(a), p4), 1)))
        out3 = self.c3(torch.cat((self.up(b), p3), 1))
        out4 = self.n4(torch.cat((self.d3(out3), b), 1))
        out5 = self.n5(torch.cat((self.d4(out4), a), 1))
        outs = [head(y) for head, y in zip(self.heads, (out3, out4, out5))]
        return torch.cat([self.decoded(y, s, k) for y, s, k in zip(outs, (8, 16, 32), self.anchors)], 1)


class Atrous(nn.Module):
    """DeepLabV3: convolutions of several dilations and a mean over the image, on MobileNetV3's features."""

    def __init__(self, classes=21):
        super().__init__()
        self.features = nn.Sequential(*mobilenet_v3_features(dilated=True))
        self.ways = nn.ModuleList([unit(960, 256, 1), *[unit(960, 256, 3, dilation=d) for d in (12, 24, 36)]])
        self.mean = nn.Sequential(nn.AdaptiveAvgPool2d(1), unit(960, 256, 1))
        self.out = nn.Sequential(unit(1280, 256, 1), unit(256, 256), nn.Conv2d(256, classes, 1))

    def forward(self, x):
        y = self.features(x)
        size = [int(n) for n in y.shape[-2:]]
        mean = functional.interpolate(self.mean(y), size=size, mode="bilinear", align_corners=False)
        y = self.out(torch.cat([way(y) for way in self.ways] + [mean], 1))
        return functional.interpolate(y, size=[int(n) for n in x.shape[-2:]], mode="bilinear", align_corners=False)


#: Name, the network, and the size of its pictures.
NETWORKS = {"efficientnet_b0": (efficientnet_b0, 224), "mobilenet_v3": (mobilenet_v3, 224), "yolov5n": (Yolo, 320),
            "shufflenet_v2": (shufflenet_v2, 224), "densenet_121": (densenet_121, 224), "googlenet": (googlenet, 224),
            "squeezenet": (squeezenet, 224), "deeplab_v3": (Atrous, 257)}


def settle(network, size):
    """Batch normalization has the statistics of what comes to it: two pictures, layer by layer."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = None
    network.train()
    with torch.no_grad():
        network(torch.randn(2, 3, size, size))
    return network.eval()


def write(name, folder):
    make, size = NETWORKS[name]
    torch.manual_seed(7)
    network = settle(make(), size)
    path = os.path.join(folder, name + ".onnx")
    torch.onnx.export(network, torch.randn(1, 3, size, size), path, opset_version=13, input_names=["x"],
                      output_names=["y"])
    return path


def main():
    if len(sys.argv) < 2 or any(name not in NETWORKS for name in sys.argv[2:]):
        sys.exit(f"usage: networks.py FOLDER [NAME ...]; names: {' '.join(NETWORKS)}")
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in sys.argv[2:] or NETWORKS:
        print(write(name, sys.argv[1]))


if __name__ == "__main__":
    main()
