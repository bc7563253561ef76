"""Draws pictures of solid shapes on a table: a small ray marcher in numpy, with light, shadow, texture and noise.

The shapes are distance functions: each gives, for points in its own coordinates, how far away its surface is at least."""

import struct
import zlib

import numpy as np

FAR = 12.0


def _length(*parts):
    return np.sqrt(sum(p * p for p in parts))


def _box(x, y, z, sides):
    """A box with these half sides."""
    dx, dy, dz = abs(x) - sides[0], abs(y) - sides[1], abs(z) - sides[2]
    outside = _length(np.maximum(dx, 0), np.maximum(dy, 0), np.maximum(dz, 0))
    return outside + np.minimum(np.maximum(dx, np.maximum(dy, dz)), 0)


def _round(x, y, z, radius, half):
    """An upright cylinder."""
    across, along = _length(x, z) - radius, abs(y) - half
    return np.minimum(np.maximum(across, along), 0) + _length(np.maximum(across, 0), np.maximum(along, 0))


def _ball(x, y, z, at, radius):
    return _length(x, y - at, z) - radius


def _cross(x, y, z):
    return np.minimum(_box(x, y, z, (0.75, 0.22, 0.22)), _box(x, y, z, (0.22, 0.75, 0.22)))


def _dumbbell(x, y, z):
    balls = np.minimum(_ball(x, y, z, 0.5, 0.34), _ball(x, y, z, -0.5, 0.34))
    return np.minimum(balls, _round(x, y, z, 0.12, 0.5))


# Each shape: its name, half of its height when it stands and when it lies, its distance function.
SHAPES = (
    ("ball", 0.7, 0.7, lambda x, y, z: _ball(x, y, z, 0, 0.7)),
    ("cube", 0.6, 0.6, lambda x, y, z: _box(x, y, z, (0.6, 0.6, 0.6))),
    ("cylinder", 0.65, 0.5, lambda x, y, z: _round(x, y, z, 0.5, 0.65)),
    ("cone", 0.7, None, lambda x, y, z: np.maximum((_length(x, z) * 1.4 + (y - 0.7) * 0.7) / 1.5653, -0.7 - y)),
    ("ring", 0.2, 0.75, lambda x, y, z: _length(_length(x, z) - 0.55, y) - 0.2),
    ("pyramid", 0.6, None,
     lambda x, y, z: np.maximum((np.maximum(abs(x), abs(z)) * 1.2 + (y - 0.6) * 0.75) / 1.4151, -0.6 - y)),
    ("capsule", 0.8, 0.35, lambda x, y, z: _length(x, y - np.clip(y, -0.45, 0.45), z) - 0.35),
    ("cross", 0.75, 0.22, _cross),
    ("dumbbell", 0.84, 0.34, _dumbbell),
    ("plate", 0.12, 0.8, lambda x, y, z: _round(x, y, z, 0.8, 0.12)),
)
NAMES = tuple(shape[0] for shape in SHAPES)


class _Solid:
    """A shape put on the table: turned, perhaps laid down, of some size."""

    def __init__(self, rng, kind):
        _, stands, lies, self.distance = SHAPES[kind]
        self.lies = lies is not None and rng.random() < 0.5
        self.size = rng.uniform(0.8, 1.15)
        self.height = self.size * (lies if self.lies else stands)
        angle = rng.uniform(0, 2 * np.pi)
        self.cos, self.sin = np.cos(angle), np.sin(angle)

    def __call__(self, p):
        """The distance of points (an array of 3 x N) in the world."""
        x, y, z = p[0] / self.size, (p[1] - self.height) / self.size, p[2] / self.size
        x, z = self.cos * x + self.sin * z, self.cos * z - self.sin * x
        if self.lies:
            y, z = z, -y
        return self.distance(x, y, z) * self.size

    def normal(self, p):
        steps = 1e-3 * np.eye(3, dtype=np.float32)[:, :, None]
        n = np.stack([self(p + s) - self(p - s) for s in steps])
        return n / (_length(*n) + 1e-9)


def _march(solid, origin, ray, near, far, steps=48):
    """How far along each ray the solid begins; infinite where it is missed."""
    t = near.copy()
    hit = np.full(t.shape, np.inf, np.float32)
    alive = np.flatnonzero(near < far)
    for _ in range(steps):
        if alive.size == 0:
            break
        d = solid(origin[:, alive] + t[alive] * ray[:, alive])
        close = d < 2e-3
        hit[alive[close]] = t[alive[close]]
        t[alive] += d
        alive = alive[~close & (t[alive] < far[alive])]
    return hit


def _near_solid(solid, origin, ray):
    """Where rays enter and leave the ball around a solid: outside of it there is nothing to be found."""
    to = origin - np.array([0, solid.height, 0], np.float32)[:, None]
    middle, radius = -np.sum(to * ray, 0), 1.2 * solid.size
    inside = radius * radius - (np.sum(to * to, 0) - middle * middle)
    half = np.sqrt(np.maximum(inside, 0))
    return np.maximum(middle - half, 0.01), np.where(inside > 0, middle + half, -1)


def _noise(rng, x, z, cells):
    """Smooth noise over a plane: random values at the corners of squares, blended between them."""
    table = rng.random((64, 64)).astype(np.float32)
    x, z = x * cells + 32, z * cells + 32
    i, k = np.floor(x).astype(int), np.floor(z).astype(int)
    u, v = x - i, z - k
    at = lambda a, b: table[a % 64, b % 64]
    return ((at(i, k) * (1 - u) + at(i + 1, k) * u) * (1 - v) + (at(i, k + 1) * (1 - u) + at(i + 1, k + 1) * u) * v)


def _table(rng, x, z):
    """The table's pattern, 0 to 1: plain, checked, striped, or grained as wood is."""
    grain = 0.7 * _noise(rng, x, z, 1.5) + 0.3 * _noise(rng, x, z, 6)
    kind, width = rng.integers(4), rng.uniform(0.4, 1.2)
    if kind == 1:
        return 0.3 * grain + 0.7 * ((np.floor(x / width) + np.floor(z / width)) % 2)
    if kind == 2:
        return 0.3 * grain + 0.7 * (np.floor(x / width) % 2)
    return 0.5 + 0.5 * np.sin(9 * x + 5 * grain) if kind == 3 else grain


def _camera(rng, solid, width, height):
    """Origin and directions of the rays, one a pixel, each through a random point of it."""
    distance, up, turn = rng.uniform(3.6, 5.0), rng.uniform(0.9, 2.6), rng.uniform(0, 2 * np.pi)
    eye = np.array([distance * np.cos(turn), up, distance * np.sin(turn)])
    at = np.array([rng.uniform(-0.25, 0.25), solid.height + rng.uniform(-0.15, 0.15), rng.uniform(-0.25, 0.25)])
    forward = (at - eye) / np.linalg.norm(at - eye)
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    above = np.cross(right, forward)
    side = 2 / min(width, height)
    u = (np.arange(width) + rng.random((height, width)) - width / 2) * side
    v = (height / 2 - np.arange(height)[:, None] - rng.random((height, width))) * side
    ray = forward[:, None] * 3.2 + right[:, None] * u.reshape(1, -1) + above[:, None] * v.reshape(1, -1)
    ray = (ray / _length(*ray)).astype(np.float32)
    return np.repeat(eye.astype(np.float32)[:, None], ray.shape[1], 1), ray


def _colour(rng):
    return rng.uniform(0.15, 1, (3, 1)).astype(np.float32)


def _render(rng, kind, width, height):
    """A picture as floats, 0 to 1: 3 x pixels."""
    solid = _Solid(rng, kind)
    origin, ray = _camera(rng, solid, width, height)
    light = np.array([rng.uniform(-1, 1), rng.uniform(0.8, 1.6), rng.uniform(-1, 1)], np.float32)
    light = (light / np.linalg.norm(light))[:, None]
    body, one, other, wall = (_colour(rng) for _ in range(4))

    hit = _march(solid, origin, ray, *_near_solid(solid, origin, ray))
    floor = np.where(ray[1] < -1e-3, -origin[1] / np.minimum(ray[1], -1e-3), np.inf)
    seen, table = np.isfinite(hit), ~np.isfinite(hit) & (floor < FAR)
    p = origin + np.where(seen, hit, np.where(table, floor, 0)) * ray

    out = wall * (0.75 + 0.25 * ray[1])
    pattern = _table(rng, p[0], p[2])
    fade = np.clip(floor / FAR, 0, 1) ** 2
    out = np.where(table, (one * pattern + other * (1 - pattern)) * (1 - fade) + out * fade, out)
    normal = np.where(seen, solid.normal(p), np.array([[0], [1], [0]], np.float32))
    start = p + 0.01 * normal
    lit = np.broadcast_to(light, p.shape)
    shadow = np.isfinite(_march(solid, start, lit, *_near_solid(solid, start, lit), steps=32)) & (seen | table)
    direct = np.maximum(np.sum(normal * light, 0), 0) * np.where(shadow, 0.15, 1)
    shine = np.maximum(np.sum((2 * np.sum(normal * light, 0) * normal - light) * -ray, 0), 0) ** 24
    shine *= seen * ~shadow * rng.uniform(0, 0.5)
    out = np.where(seen, body, out)
    return np.where(seen | table, out * (0.35 + 0.75 * direct) + shine, out)


def draw(rng, kind, width, height, samples=1, noise=0.02):
    """A picture of shape number `kind`: height x width x 3 bytes.

    `samples`: rays for each pixel and direction, which smooths edges; `noise`: how much the camera's sensor has."""
    picture = _render(rng, kind, width * samples, height * samples)
    picture = picture.reshape(3, height, samples, width, samples).mean((2, 4)).transpose(1, 2, 0)
    picture = picture * rng.uniform(0.75, 1.15) + rng.normal(0, noise, picture.shape)
    return (np.clip(picture, 0, 1) * 255 + 0.5).astype(np.uint8)


def write_png(path, picture):
    """Writes height x width x 3 bytes as a PNG file."""
    height, width, _ = picture.shape
    rows = np.hstack([np.ones((height, 1), np.uint8), picture.reshape(height, -1)])
    rows[:, 4:] = picture.reshape(height, -1)[:, 3:] - picture.reshape(height, -1)[:, :-3]  # differences to the left

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b""))
