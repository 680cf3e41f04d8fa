"""Prints the bits that dbscan_unit_vectors_test.cpp holds: the formulas of dbscan_unit_vectors.hpp step by step, every
step in rationals and then rounded once. Needs Python alone."""

import math
from fractions import Fraction


def fma(a, b, c):
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def sine_cosine(x):
    part1, part2, part3 = (float.fromhex(h) for h in ("0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69"))
    quarters = float(round(x * (2.0 / math.pi)))
    r = fma(-quarters, part3, fma(-quarters, part2, fma(-quarters, part1, x)))
    square = r * r
    sine = cosine = 1.0
    for m in range(18, 1, -2):
        sine = fma(-square / (m * (m + 1)), sine, 1.0)
        cosine = fma(-square / ((m - 1) * m), cosine, 1.0)
    sine *= r
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][int(quarters) % 4]


def unit_vector(x):
    scale = 2.0 ** -(math.frexp(max(abs(v) for v in x))[1] - 1)
    square = 0.0
    for value in x:
        square = fma(value * scale, value * scale, square)
    length = math.sqrt(square)
    return [value * scale / length for value in x]


def show(name, values):
    print(f"{name}: {', '.join(float(v).hex() for v in values)}")


angles = [0.5, 1.0, 2.5, -6.2]
show("sines", [sine_cosine(a)[0] for a in angles])
show("cosines", [sine_cosine(a)[1] for a in angles])
show("unit vector", unit_vector([0.1, -0.7, 1e-3, 3.0, 1e5]))
show("cosine chord", [math.sqrt(2.0 * 0.1)])
show("haversine chord", [2.0 * sine_cosine(0.5 * 0.1)[0]])
