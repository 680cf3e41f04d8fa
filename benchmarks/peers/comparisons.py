"""What peers.py compares: for each estimator its workloads, how a library and tilelearn are measured on one, and how a
result reads in the table. A result has "ms" (less is better) and the estimator's quality."""

import time

import numpy as np


def best_time(work, runs):
    """Least seconds of `runs` calls after one that is not counted; of that one alone where it took long."""
    long = 10.0
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
        if times[0] > long:
            return times[0]
    return min(times[1:])


class Comparison:
    def dtype(self, workload):
        return "float32"


class KMeans(Comparison):
    """Time of an iteration: (fit of 12 iterations - fit of 2) / 10. Inertia is that of the centres after 12 iterations,
    computed here in float64. All start from the first k rows."""

    name = "kmeans"
    title = "k-means, float32, one iteration in ms"
    axis = "one iteration, ms (less is better)"
    header = "rows x columns, k"

    few, many = 2, 12
    block_values = 1 << 25

    # (rows, columns, clusters), the same as in kmeans_benchmark.cpp.
    workloads = {
        "cpu": [(200_000, 16, 64), (100_000, 64, 256), (1_000_000, 4, 16), (100_000, 128, 1000)],
        "cuda": [(1_000_000, 64, 256), (1_000_000, 8, 16), (1_000_000, 128, 1000), (1_000_000, 784, 10),
                 (10_000_000, 64, 256), (100_000_000, 3, 100), (1_000_000, 768, 4096)],
    }

    def data(self, workload):
        n, d, _ = workload
        return ("normal", n, d, 1, 1)

    def label(self, workload):
        n, d, k = workload
        return f"{n:,} x {d}, {k}"

    def row(self, workload, device):
        n, d, k = workload
        return f"iteration/data:normal/n:{n}/d:{d}/k:{k}/dtype:float32/device:{device}/"

    def inertia(self, X, centers):
        """Sum of squared distances to the nearest centre: nearest by float32 products, distances by the direct form."""
        centers = np.asarray(centers, dtype=np.float32)
        norms = (centers.astype(np.float64) ** 2).sum(1).astype(np.float32)
        rows = max(1, self.block_values // max(len(centers), X.shape[1]))
        total = 0.0
        for begin in range(0, len(X), rows):
            block = X[begin:begin + rows]
            nearest = (norms - 2 * (block @ centers.T)).argmin(1)
            total += float(((block.astype(np.float64) - centers[nearest]) ** 2).sum())
        return total

    def measure(self, library, X, workload, runs):
        data = library.put(X)
        init = X[:workload[2]].copy()
        centers = library.kmeans(data, init, self.many)
        long_fit = best_time(lambda: library.kmeans(data, init, self.many), runs)
        short_fit = best_time(lambda: library.kmeans(data, init, self.few), runs)
        return {"ms": 1e3 * (long_fit - short_fit) / (self.many - self.few), "inertia": self.inertia(X, centers)}

    def remark(self, result, results):
        """How much the inertia exceeds the best."""
        excess = result["inertia"] / min(other["inertia"] for other in results) - 1
        return f" (inertia +{excess:.0e})" if excess > 1e-6 else ""


class DBSCAN(Comparison):
    """Time of a fit. Another number of clusters, or share of noise, than tilelearn's is a mistake of one of the two:
    DBSCAN leaves no choice."""

    name = "dbscan"
    title = "DBSCAN, float32, one fit in ms"
    axis = "one fit, ms (less is better)"
    header = "rows x columns, data, eps"

    # (generator, rows, columns, blobs, standard deviation, eps, min_samples), the same as in dbscan_benchmark.cpp.
    workloads = {
        "cpu": [("blobs", 200_000, 2, 100, 0.3, 0.05, 10), ("uniform", 200_000, 3, 1, 1, 0.02, 5),
                ("normal", 100_000, 4, 1, 1, 0.2, 10), ("normal", 50_000, 8, 1, 1, 1, 10),
                ("normal", 50_000, 16, 1, 1, 2, 10), ("blobs", 50_000, 16, 50, 0.5, 2.5, 10)],
        "cuda": [("blobs", 200_000, 2, 100, 0.3, 0.05, 10), ("uniform", 200_000, 3, 1, 1, 0.02, 5),
                 ("blobs", 1_000_000, 2, 100, 0.3, 0.02, 10), ("blobs", 1_000_000, 3, 100, 0.3, 0.08, 10),
                 ("blobs", 10_000_000, 2, 100, 0.3, 0.0064, 10), ("blobs", 10_000_000, 3, 100, 0.3, 0.037, 10),
                 ("blobs", 1_000_000, 16, 50, 0.5, 2.5, 10), ("blobs", 200_000, 128, 50, 0.5, 9, 10)],
    }

    def data(self, workload):
        return workload[:5]

    def label(self, workload):
        generator, n, d, _, _, eps, _ = workload
        return f"{n:,} x {d}, {generator}, {eps}"

    def row(self, workload, device):
        generator, n, d, _, _, eps, min_samples = workload
        return (f"fit/data:{generator}/n:{n}/d:{d}/eps:{eps}/min_samples:{min_samples}/dtype:float32/"
                f"device:{device}/")

    def measure(self, library, X, workload, runs):
        data = library.put(X)
        eps, min_samples = workload[5:]
        labels = library.dbscan(data, eps, min_samples)
        return {"ms": 1e3 * best_time(lambda: library.dbscan(data, eps, min_samples), runs),
                "n_clusters": int(labels.max()) + 1, "noise": float((labels < 0).mean())}

    def remark(self, result, results):
        ours = results[0]
        if result["n_clusters"] != ours["n_clusters"]:
            return f" ({result['n_clusters']:.0f} clusters for {ours['n_clusters']:.0f})"
        difference = result["noise"] - ours["noise"]
        return f" (noise {difference:+.0e})" if abs(difference) > 1e-9 else ""


class Linear(Comparison):
    """Time of a fit of LinearRegression with an intercept. Digits are those of the worst coefficient against a solution
    in float64 of the same data."""

    name = "linear"
    title = "linear regression, one fit in ms"
    axis = "one fit, ms (less is better)"
    header = "rows x columns, type"

    # (rows, columns, type), the same as in linear_benchmark.cpp.
    workloads = {"cpu": [(n, d, dtype) for n, d in ((1_000_000, 20), (200_000, 100), (20_000, 1000))
                         for dtype in ("float32", "float64")]}

    def data(self, workload):
        n, d, _ = workload
        return ("normal", n, d, 1, 1)

    def dtype(self, workload):
        return workload[2]

    def label(self, workload):
        n, d, dtype = workload
        return f"{n:,} x {d}, {dtype}"

    def row(self, workload, device):
        n, d, dtype = workload
        return f"fit/n:{n}/d:{d}/dtype:{dtype}/device:{device}/"

    def measure(self, library, X, workload, runs):
        noise = np.random.default_rng(2).standard_normal(len(X))
        y = (3 + X.astype(np.float64) @ (1 + np.arange(X.shape[1]) % 7) + 0.1 * noise).astype(X.dtype)
        data, target = library.put(X), library.put(y)
        coef = library.linear(data, target)
        centred = X.astype(np.float64) - X.mean(0, dtype=np.float64)
        exact = np.linalg.lstsq(centred, y.astype(np.float64), rcond=None)[0]
        error = np.abs(coef / exact - 1).max()
        return {"ms": 1e3 * best_time(lambda: library.linear(data, target), runs),
                "digits": float(-np.log10(max(error, 1e-16)))}

    def remark(self, result, results):
        return f" ({result['digits']:.1f} digits)"


ALL = {comparison.name: comparison for comparison in (KMeans(), DBSCAN(), Linear())}
