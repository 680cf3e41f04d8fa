"""Records what scikit-learn's KMeans gives from stated first centres: writes tests/data/kmeans_sklearn.txt.

Needs numpy and scikit-learn (1.9 wrote the file that is kept). Data are float64 and printed with 17 digits, so they
read back as the same bits. Run from the folder of this script: python record_sklearn.py
"""
import numpy
import sklearn
from sklearn.cluster import KMeans


def cases():
    random = numpy.random.default_rng(20)
    normal = random.standard_normal((200, 3))
    yield "normal", normal, normal[:5], None, 300, 1e-4
    yield "normal_tight", normal, normal[:5], None, 300, 0.0
    yield "normal_stopped", normal, normal[:9], None, 3, 0.0
    blobs = random.uniform(-8, 8, (6, 4))[random.integers(0, 6, 300)] + random.standard_normal((300, 4))
    yield "blobs", blobs, blobs[10:16], None, 300, 1e-4
    yield "weighted", blobs, blobs[:6], random.uniform(0.1, 3, 300), 300, 1e-4
    yield "offset", normal + 1e4, normal[:7] + 1e4, None, 300, 1e-4
    far = normal[:4].copy()
    far[3] += 1e3
    yield "empty_cluster", normal, far, None, 300, 1e-4


def line(file, name, values):
    file.write(name + " " + " ".join(f"{value:.17g}" for value in numpy.ravel(values)) + "\n")


with open("../data/kmeans_sklearn.txt", "w") as file:
    file.write(f"# scikit-learn {sklearn.__version__}, KMeans(algorithm='lloyd') from given centres; record_sklearn.py\n")
    for name, X, init, weights, max_iter, tol in cases():
        model = KMeans(len(init), init=init, n_init=1, max_iter=max_iter, tol=tol, algorithm="lloyd")
        model.fit(X, sample_weight=weights)
        file.write(f"case {name} {len(X)} {X.shape[1]} {len(init)} {max_iter} {tol:.17g} {int(weights is not None)}\n")
        line(file, "X", X)
        line(file, "init", init)
        if weights is not None:
            line(file, "weights", weights)
        line(file, "centers", model.cluster_centers_)
        line(file, "labels", model.labels_)
        line(file, "inertia", [model.inertia_])
        line(file, "n_iter", [model.n_iter_])
