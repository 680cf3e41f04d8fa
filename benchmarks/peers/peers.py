"""k-means of several libraries on the same arrays in the same run: one table (Markdown) and one picture (SVG).

    python3 benchmarks/peers/peers.py --build build/cpu                      the CPU
    python3 benchmarks/peers/peers.py --build build/cuda --device cuda       the GPU

Each array is made by the generator of the benchmarks (export_data) and handed to every library that is installed:
scikit-learn and scikit-learn-intelex (CPU), PyTorch (both), flash-kmeans and cuML (GPU). All start from the first k
rows. Time of an iteration is (fit of 12 iterations - fit of 2) / 10, each the minimum of several runs after one that is
not counted, inputs on the device. Inertia is that of the centres after 12 iterations, computed here in float64. Needs
NumPy; matplotlib draws the picture where it is installed.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

# OpenBLAS takes a wrong or slow kernel when these are set for another machine.
for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(variable, None)

import numpy as np

import libraries

FEW, MANY = 2, 12
BLOCK_VALUES = 1 << 25

# (rows, columns, clusters), the same as in kmeans_benchmark.cpp.
WORKLOADS = {
    "cpu": [(200_000, 16, 64), (100_000, 64, 256), (1_000_000, 4, 16), (100_000, 128, 1000)],
    "cuda": [(1_000_000, 64, 256), (1_000_000, 8, 16), (1_000_000, 128, 1000), (1_000_000, 784, 10),
             (10_000_000, 64, 256), (100_000_000, 3, 100), (1_000_000, 768, 4096)],
}


def export(build, n, d, path):
    subprocess.run([build / "bin" / "export_data", "normal", str(n), str(d), "1", "1", "float32", path], check=True)
    return np.load(path)


def inertia(X, centers):
    """Sum of squared distances to the nearest centre: nearest by float32 products, distances by the direct form."""
    centers = np.asarray(centers, dtype=np.float32)
    norms = (centers.astype(np.float64) ** 2).sum(1).astype(np.float32)
    rows = max(1, BLOCK_VALUES // max(len(centers), X.shape[1]))
    total = 0.0
    for begin in range(0, len(X), rows):
        block = X[begin:begin + rows]
        nearest = (norms - 2 * (block @ centers.T)).argmin(1)
        total += float(((block.astype(np.float64) - centers[nearest]) ** 2).sum())
    return total


def best_time(work, runs):
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def measure_library(library, X, k, runs):
    data = library.put(X)
    init = X[:k].copy()
    centers = library.fit(data, init, MANY)
    long_fit = best_time(lambda: library.fit(data, init, MANY), runs)
    short_fit = best_time(lambda: library.fit(data, init, FEW), runs)
    return {"iteration_ms": 1e3 * (long_fit - short_fit) / (MANY - FEW), "inertia": inertia(X, centers)}


def measure_tilelearn(build, device, n, d, k):
    pattern = f"^iteration/data:normal/n:{n}/d:{d}/k:{k}/dtype:float32/device:{device}/"
    command = [build / "bin" / "kmeans_benchmark", f"--benchmark_filter={pattern}", "--benchmark_format=json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = json.loads(output)["benchmarks"]
    if len(rows) != 1 or rows[0].get("error_occurred"):
        raise RuntimeError(rows[0]["error_message"] if rows else f"no row matches {pattern}")
    return {"iteration_ms": rows[0]["real_time"], "inertia": rows[0]["inertia"], "limit_ms": rows[0]["limit_ms"]}


def run_workload(arguments, workload, installed):
    n, d, k = workload
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        X = export(arguments.build, n, d, pathlib.Path(folder) / "X.npy")
    results = {}
    tasks = {"tilelearn": lambda: measure_tilelearn(arguments.build, arguments.device, n, d, k)}
    for library in installed:
        tasks[library.name] = lambda library=library: measure_library(library, X, k, arguments.runs)
    for name, task in tasks.items():
        try:
            results[name] = task()
            print(f"{n} x {d}, k = {k}: {name} {results[name]['iteration_ms']:.3g} ms", file=sys.stderr)
        except Exception as error:  # one library's failure is a cell of the table, not the end of the run
            results[name] = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            print(f"{n} x {d}, k = {k}: {name}: {results[name]['error']}", file=sys.stderr)
    return results


def cell(result, best):
    if "error" in result:
        return "failed"
    text = f"{result['iteration_ms']:.3g}"
    excess = result["inertia"] / best - 1
    return text + (f" (inertia +{excess:.0e})" if excess > 1e-6 else "")


def table(results, names):
    lines = ["| rows x columns, k | limit | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for (n, d, k), row in results.items():
        good = [result["inertia"] for result in row.values() if "error" not in result]
        limit = row["tilelearn"].get("limit_ms")
        cells = [cell(row[name], min(good)) if good else "failed" for name in names]
        lines.append(f"| {n:,} x {d}, {k} | {f'{limit:.3g}' if limit else ''} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def picture(results, names, path, title):
    try:
        import matplotlib
    except ImportError:
        print("no picture: matplotlib is not installed", file=sys.stderr)
        return
    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(1.8 * len(results) + 3, 4.5))
    width = 0.8 / len(names)
    for index, name in enumerate(names):
        heights = [row[name].get("iteration_ms", float("nan")) for row in results.values()]
        axes.bar([x + index * width for x in range(len(results))], heights, width, label=name)
    axes.set_yscale("log")
    axes.set_ylabel("one iteration, ms (less is better)")
    axes.set_xticks([x + 0.4 - width / 2 for x in range(len(results))], [f"{n:,} x {d}\nk = {k}" for n, d, k in results])
    axes.set_title(title)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder with the benchmarks")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of the workloads to run, from 0")
    parser.add_argument("--scratch", help="folder for the arrays, up to 3 GB")
    parser.add_argument("--out", type=pathlib.Path, help="folder for peers.md and peers.svg; default: table to stdout")
    arguments = parser.parse_args()

    installed = libraries.installed(arguments.device)
    workloads = WORKLOADS[arguments.device]
    chosen = [workloads[i] for i in arguments.only] if arguments.only else workloads
    results = {workload: run_workload(arguments, workload, installed) for workload in chosen}
    names = ["tilelearn"] + [library.name for library in installed]
    title = f"k-means, one iteration in ms, float32, {libraries.device_name(arguments.device)}"
    versions = ", ".join(f"{library.name} {library.version}" for library in installed)
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    text = f"{title}, {date}\n\n{table(results, names)}\n\n{versions}, Python {platform.python_version()}\n"
    print(text)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "peers.md").write_text(text, encoding="utf-8")
        picture(results, names, arguments.out / "peers.svg", title)


if __name__ == "__main__":
    main()
