"""The layers of a small network, forwards and backwards, in numpy. Pictures are N x H x W x C."""

import numpy as np


class Parameter:
    """Numbers that are trained, with the gradient of the last step."""

    def __init__(self, value):
        self.value = value.astype(np.float32)
        self.gradient = np.zeros_like(self.value)
        self.speed = np.zeros_like(self.value)


class Conv:
    """A convolution without a bias; zeros around the picture."""

    def __init__(self, rng, inputs, outputs, kernel=3, stride=1):
        self.kernel, self.stride, self.pad = kernel, stride, kernel // 2
        fan = kernel * kernel * inputs
        self.weights = Parameter(rng.normal(0, np.sqrt(2 / fan), (fan, outputs)))
        self.parameters = [self.weights]

    def _windows(self, padded, shape):
        """Views of what each element of the kernel sees, for pictures of `shape` with zeros around them."""
        h, w = ((n + 2 * self.pad - self.kernel) // self.stride * self.stride + 1 for n in shape[1:3])
        for i in range(self.kernel):
            for j in range(self.kernel):
                yield padded[:, i:i + h:self.stride, j:j + w:self.stride]

    def forward(self, x, training):
        p = self.pad
        padded = np.pad(x, ((0, 0), (p, p), (p, p), (0, 0)))
        rows = np.concatenate(list(self._windows(padded, x.shape)), 3)
        self.shape, self.rows = x.shape, rows.reshape(-1, rows.shape[3])
        return (self.rows @ self.weights.value).reshape(*rows.shape[:3], -1)

    def backward(self, g):
        flat = g.reshape(-1, g.shape[3])
        self.weights.gradient = self.rows.T @ flat
        n, h, w, c = self.shape
        p = self.pad
        out = np.zeros((n, h + 2 * p, w + 2 * p, c), np.float32)
        rows = (flat @ self.weights.value.T).reshape(*g.shape[:3], -1)
        for at, window in enumerate(self._windows(out, self.shape)):
            window += rows[..., at * c:(at + 1) * c]
        return out[:, p:p + h, p:p + w]


class Norm:
    """Batch normalization."""

    def __init__(self, channels):
        self.scale, self.shift = Parameter(np.ones(channels)), Parameter(np.zeros(channels))
        self.mean, self.variance = np.zeros(channels, np.float32), np.ones(channels, np.float32)
        self.parameters = [self.scale, self.shift]

    def forward(self, x, training):
        mean, variance = self.mean, self.variance
        if training:
            mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
            self.mean, self.variance = 0.9 * self.mean + 0.1 * mean, 0.9 * self.variance + 0.1 * variance
        self.deviation = np.sqrt(variance + 1e-5)
        self.normal = (x - mean) / self.deviation
        return self.normal * self.scale.value + self.shift.value

    def backward(self, g):
        self.shift.gradient = g.sum((0, 1, 2))
        self.scale.gradient = (g * self.normal).sum((0, 1, 2))
        count = g.size / g.shape[3]
        return (g - self.shift.gradient / count - self.normal * self.scale.gradient / count) * (
            self.scale.value / self.deviation)


class Relu:
    """What is below zero becomes zero."""

    parameters = ()

    def forward(self, x, training):
        self.above = x > 0
        return x * self.above

    def backward(self, g):
        return g * self.above


class Pool:
    """The largest of 2 x 2 neighbours."""

    parameters = ()

    def forward(self, x, training):
        n, h, w, c = x.shape
        blocks = x.reshape(n, h // 2, 2, w // 2, 2, c)
        out = blocks.max((2, 4))
        self.largest = blocks == out[:, :, None, :, None]
        return out

    def backward(self, g):
        n, h, w, c = g.shape
        return (self.largest * g[:, :, None, :, None]).reshape(n, 2 * h, 2 * w, c)


class Residual:
    """Two convolutions, to whose result their input is added."""

    def __init__(self, rng, channels):
        self.inner = Chain(Conv(rng, channels, channels), Norm(channels), Relu(), Conv(rng, channels, channels),
                           Norm(channels))
        self.relu = Relu()
        self.parameters = self.inner.parameters

    def forward(self, x, training):
        return self.relu.forward(x + self.inner.forward(x, training), training)

    def backward(self, g):
        g = self.relu.backward(g)
        return g + self.inner.backward(g)


class Mean:
    """The mean of each channel."""

    parameters = ()

    def forward(self, x, training):
        self.shape = x.shape
        return x.mean((1, 2))

    def backward(self, g):
        n, h, w, c = self.shape
        return np.broadcast_to(g[:, None, None] / (h * w), self.shape)


class Dense:
    """A matrix product with a bias."""

    def __init__(self, rng, inputs, outputs):
        self.weights = Parameter(rng.normal(0, np.sqrt(1 / inputs), (inputs, outputs)))
        self.bias = Parameter(np.zeros(outputs))
        self.parameters = [self.weights, self.bias]

    def forward(self, x, training):
        self.x = x
        return x @ self.weights.value + self.bias.value

    def backward(self, g):
        self.weights.gradient, self.bias.gradient = self.x.T @ g, g.sum(0)
        return g @ self.weights.value.T


class Chain:
    """Layers one after another."""

    def __init__(self, *layers):
        self.layers = layers
        self.parameters = [p for layer in layers for p in layer.parameters]

    def forward(self, x, training=False):
        for layer in self.layers:
            x = layer.forward(x, training)
        return x

    def backward(self, g):
        for layer in reversed(self.layers):
            g = layer.backward(g)
        return g
