"""Records what scikit-learn's DBSCAN says of small data: run in this folder with scikit-learn installed, it writes
scikit_learn.txt, which dbscan_sklearn_test.cpp reads.

Values are integers times a power of two, the same in float32 and float64. Norms are searched by the k-d tree on float64
copies, haversine by the ball tree, cosine by brute force. Data with a pair closer to eps than ROOM, relative to eps, are
refused: there searches may differ, and so may eps in float32.
"""

import numpy
import sklearn
from sklearn.cluster import DBSCAN
from sklearn.metrics import pairwise_distances

ROOM = 8 * 2.0**-24
SEARCHES = {
    "euclidean": "kd_tree",
    "manhattan": "kd_tree",
    "chebyshev": "kd_tree",
    "cosine": "brute",
    "haversine": "ball_tree",
}


def blobs(rng, n, d, count, spread, box=4.0):
    centers = rng.uniform(-box, box, (count, d))
    return centers[rng.integers(0, count, n)] + spread * rng.standard_normal((n, d))


def moons(rng, n, noise):
    angle = rng.uniform(0, numpy.pi, n)
    lower = rng.random(n) < 0.5
    x = numpy.where(lower, 1 - numpy.cos(angle), numpy.cos(angle))
    y = numpy.where(lower, 0.5 - numpy.sin(angle), numpy.sin(angle))
    return numpy.stack([x, y], 1) + noise * rng.standard_normal((n, 2))


def rings(rng, n, noise, d=2):
    direction = rng.standard_normal((n, d))
    radius = rng.integers(1, 4, n) + noise * rng.standard_normal(n)
    return direction / numpy.linalg.norm(direction, axis=1, keepdims=True) * radius[:, None]


def varying_density(rng, n, d=2):
    spread = numpy.array([0.1, 0.4, 1.5])
    which = rng.integers(0, 3, n)
    centers = numpy.zeros((3, d))
    centers[1, 0] = 5
    centers[2, 0] = -8
    return centers[which] + spread[which, None] * rng.standard_normal((n, d))


def chain(rng, n, d=1):
    steps = rng.uniform(0.05, 0.3, (n, d))
    return rng.permutation(numpy.cumsum(steps, 0))


def duplicates(rng, n, d, distinct):
    return rng.uniform(-2, 2, (distinct, d))[rng.integers(0, distinct, n)]


def directions(rng, n, d, count, spread):
    return blobs(rng, n, d, count, spread, 1.0) * 2.0 ** rng.integers(-3, 4, (n, 1))


def places(rng, n, count, spread):
    centers = numpy.stack([rng.uniform(-1.4, 1.4, count), rng.uniform(-3.1, 3.1, count)], 1)
    angles = centers[rng.integers(0, count, n)] + spread * rng.standard_normal((n, 2))
    across = angles[:, 1]  # around the date line longitudes jump by a whole turn
    angles[:, 1] = numpy.where(across > numpy.pi, across - 2 * numpy.pi, across)
    return numpy.clip(angles, [-1.57, -3.14], [1.57, 3.14])


def weights_of(rng, n, kind):
    if kind == "none":
        return None
    if kind == "fractions":
        return rng.integers(0, 24, n)
    return rng.integers(-12, 24, n)  # "negative"


def cases(rng):
    yield "one_column_blobs", blobs(rng, 300, 1, 6, 0.2), 8, "euclidean", 4, 0.0713, "none"
    yield "one_column_chain", chain(rng, 300), 10, "euclidean", 3, 0.2601, "none"
    yield "blobs", blobs(rng, 400, 2, 5, 0.35), 8, "euclidean", 5, 0.3017, "none"
    yield "manhattan_blobs", blobs(rng, 400, 2, 5, 0.35), 8, "manhattan", 5, 0.3517, "none"
    yield "chebyshev_blobs", blobs(rng, 400, 2, 5, 0.35), 8, "chebyshev", 5, 0.2517, "none"
    yield "moons", moons(rng, 400, 0.06), 9, "euclidean", 5, 0.1503, "none"
    yield "rings", rings(rng, 500, 0.06), 8, "euclidean", 4, 0.2503, "none"
    yield "varying_density", varying_density(rng, 400), 9, "euclidean", 6, 0.3511, "none"
    yield "duplicates", duplicates(rng, 400, 2, 60), 6, "euclidean", 9, 0.3013, "none"
    yield "chain", chain(rng, 300, 2), 9, "manhattan", 3, 0.4101, "none"
    yield "fractions", blobs(rng, 400, 2, 5, 0.35), 8, "euclidean", 7, 0.2817, "fractions"
    yield "negative", blobs(rng, 400, 2, 5, 0.35), 8, "euclidean", 4, 0.3217, "negative"
    yield "all_noise", blobs(rng, 100, 2, 5, 2.0), 8, "euclidean", 5, 0.0517, "none"
    yield "all_one", blobs(rng, 100, 2, 1, 0.2), 8, "euclidean", 1, 0.9017, "none"
    for d, eps in ((3, 0.4507), (4, 0.6107), (5, 0.7307), (6, 0.8507), (8, 1.0507), (12, 1.3507), (16, 1.6007)):
        yield f"blobs_{d}", blobs(rng, 300, d, 5, 0.3), 7, "euclidean", 5, eps, "none"
    yield "rings_3", rings(rng, 500, 0.05, 3), 8, "euclidean", 4, 0.4503, "none"
    yield "varying_density_3", varying_density(rng, 300, 3), 8, "chebyshev", 6, 0.4511, "fractions"
    yield "manhattan_7", blobs(rng, 200, 7, 4, 0.3), 7, "manhattan", 5, 2.1007, "negative"
    yield "chebyshev_16", blobs(rng, 200, 16, 4, 0.3), 7, "chebyshev", 4, 0.7907, "none"
    yield "blobs_64", blobs(rng, 150, 64, 4, 0.3), 5, "euclidean", 5, 3.3007, "none"
    yield "duplicates_9", duplicates(rng, 300, 9, 50), 3, "manhattan", 4, 7.0013, "none"
    yield "cosine_2", directions(rng, 300, 2, 5, 0.1), 10, "cosine", 5, 0.00103, "none"
    yield "cosine_5", directions(rng, 300, 5, 4, 0.2), 10, "cosine", 5, 0.0403, "fractions"
    yield "cosine_64", directions(rng, 100, 64, 3, 0.3), 7, "cosine", 4, 0.1703, "none"
    yield "haversine", places(rng, 400, 6, 0.08), 12, "haversine", 5, 0.0507, "none"
    yield "haversine_wide", places(rng, 200, 40, 0.3), 10, "haversine", 4, 0.2507, "negative"


def check_room(name, X, metric, eps):
    distances = pairwise_distances(X, metric=metric)
    room = numpy.abs(distances - eps).min() / eps
    if not room > ROOM:
        raise SystemExit(f"{name}: a pair is within {room:.1e} of eps")


def record(file, name, data, bits, metric, min_samples, eps, weights):
    integers = numpy.rint(data * 2.0**bits).astype(int)
    X = integers / 2.0**bits
    assert (X.astype(numpy.float32) == X).all()
    check_room(name, X, metric, eps)
    # multiples of 1/8, whose sums have no rounding
    scaled = None if weights is None else weights / 8.0
    model = DBSCAN(eps=eps, min_samples=min_samples, metric=metric, algorithm=SEARCHES[metric])
    model.fit(X, sample_weight=scaled)
    labels = model.labels_
    core = numpy.zeros(len(X), dtype=bool)
    core[model.core_sample_indices_] = True
    print("case", name, *X.shape, bits, metric, min_samples, repr(eps), int(weights is not None), file=file)
    print("X", *integers.ravel(), file=file)
    if weights is not None:
        print("weights", *weights, file=file)
    # 2 label + core: -2 for noise
    print("codes", *(2 * labels + core), file=file)
    border = (labels >= 0) & ~core
    print(f"{name:20} {X.shape[0]:4} x {X.shape[1]:2}: {labels.max() + 1:3} clusters, {core.sum():4} core, "
          f"{border.sum():3} border, {(labels < 0).sum():3} noise")


def main():
    rng = numpy.random.default_rng(20240607)
    with open("scikit_learn.txt", "w", encoding="ascii") as file:
        print(f"scikit-learn {sklearn.__version__}", file=file)
        for name, data, bits, metric, min_samples, eps, weights in cases(rng):
            record(file, name, data, bits, metric, min_samples, eps, weights_of(rng, len(data), weights))


if __name__ == "__main__":
    main()
