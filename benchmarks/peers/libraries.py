"""The libraries that peers.py compares: for each, how data get to its device and how it fits.

`put(X)` returns the library's own array on its device. A library offers the estimators that it has methods for, which wait
for the device:

`kmeans(data, init, max_iter)` runs exactly max_iter Lloyd iterations from given centres unless no label changes before,
and returns the centres as a NumPy array.
`dbscan(data, eps, min_samples)` returns the labels as a NumPy array.
`linear(data, target)` returns the coefficients of a linear regression with an intercept as a NumPy array.
"""

import importlib
import importlib.metadata
import os
import platform
import subprocess

import numpy as np


class Library:
    name = ""
    module = ""
    devices = ()
    distribution = ""

    def __init__(self, device):
        self.device = device
        importlib.import_module(self.module)
        self.version = importlib.metadata.version(self.distribution)

    def put(self, X):
        return X


class ScikitLearn(Library):
    name = "scikit-learn"
    module = "sklearn.cluster"
    linear_module = "sklearn.linear_model"
    distribution = "scikit-learn"
    devices = ("cpu",)

    def kmeans(self, data, init, max_iter):
        estimator = importlib.import_module(self.module).KMeans
        model = estimator(n_clusters=len(init), init=init, n_init=1, max_iter=max_iter, tol=0, algorithm="lloyd")
        return model.fit(data).cluster_centers_

    def dbscan(self, data, eps, min_samples):
        estimator = importlib.import_module(self.module).DBSCAN
        return estimator(eps=eps, min_samples=min_samples, n_jobs=-1).fit(data).labels_


    def linear(self, data, target):
        estimator = importlib.import_module(self.linear_module).LinearRegression
        return estimator().fit(data, target).coef_


class ScikitLearnIntelex(ScikitLearn):
    name = "scikit-learn-intelex"
    linear_module = "sklearnex.linear_model"
    module = "sklearnex.cluster"
    distribution = "scikit-learn-intelex"


class PyTorch(Library):
    """Products, argmin and index_add in blocks of rows, as a user would write it; full float32 products."""

    name = "PyTorch"
    module = "torch"
    distribution = "torch"
    devices = ("cpu", "cuda")
    block_values = 1 << 28

    def put(self, X):
        import torch
        torch.backends.cuda.matmul.allow_tf32 = False
        return torch.from_numpy(X).to(self.device)

    def kmeans(self, data, init, max_iter):
        import torch
        centers = torch.from_numpy(init).to(self.device)
        rows = max(1, self.block_values // len(init))
        for _ in range(max_iter):
            sums = torch.zeros_like(centers)
            counts = torch.zeros(len(centers), device=data.device)
            norms = (centers * centers).sum(1)
            for block in data.split(rows):
                nearest = torch.addmm(norms, block, centers.T, alpha=-2).argmin(1)
                sums.index_add_(0, nearest, block)
                counts += torch.bincount(nearest, minlength=len(centers))
            centers = torch.where(counts[:, None] > 0, sums / counts[:, None], centers)
        return centers.cpu().numpy()


class FlashKMeans(PyTorch):
    """Triton kernels; float32 data are multiplied in TF32, so labels are not those of float32."""

    name = "flash-kmeans"
    module = "flash_kmeans"
    distribution = "flash-kmeans"
    devices = ("cuda",)

    def kmeans(self, data, init, max_iter):
        import torch
        from flash_kmeans import batch_kmeans_Euclid
        start = torch.from_numpy(init).to(self.device)[None]
        _, centers, _ = batch_kmeans_Euclid(data[None], n_clusters=len(init), max_iters=max_iter, tol=0.0,
                                            init_centroids=start)
        return centers[0].float().cpu().numpy()


class CuML(Library):
    name = "cuML"
    module = "cuml.cluster"
    distribution = "cuml-cu13"
    devices = ("cuda",)

    def put(self, X):
        import cupy
        return cupy.asarray(X)

    def kmeans(self, data, init, max_iter):
        import cupy
        from cuml.cluster import KMeans
        # A tolerance of 0 is refused by some versions; the least float never stops a run.
        model = KMeans(n_clusters=len(init), init=cupy.asarray(init), n_init=1, max_iter=max_iter,
                       tol=float(np.finfo(np.float32).tiny), output_type="cupy")
        centers = model.fit(data).cluster_centers_
        return cupy.asnumpy(centers)

    def dbscan(self, data, eps, min_samples):
        import cupy
        from cuml.cluster import DBSCAN
        most_columns_of_rbc = 3
        algorithm = "rbc" if data.shape[1] <= most_columns_of_rbc else "brute"
        model = DBSCAN(eps=eps, min_samples=min_samples, algorithm=algorithm, output_type="cupy")
        labels = model.fit_predict(data, out_dtype="int64")
        return cupy.asnumpy(labels)


ALL = (ScikitLearn, ScikitLearnIntelex, PyTorch, FlashKMeans, CuML)


def installed(device, estimator):
    """Instances of the libraries that run `estimator` on `device` and can be imported here."""
    found = []
    for library in ALL:
        if device not in library.devices or not hasattr(library, estimator):
            continue
        try:
            found.append(library(device))
        except ImportError:  # PackageNotFoundError is one
            continue
    return found


def device_name(device):
    if device == "cuda":
        query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        return subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    try:
        with open("/proc/cpuinfo", encoding="ascii") as file:
            model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        model = platform.processor()
    return f"{model}, {os.cpu_count()} cores"
