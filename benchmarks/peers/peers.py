"""One estimator of several libraries on the same arrays in the same run: one table (Markdown) and one picture (SVG).

    python3 benchmarks/peers/peers.py kmeans --build build/cpu                      the CPU
    python3 benchmarks/peers/peers.py linear --build build/cpu                      the same for linear regression
    python3 benchmarks/peers/peers.py dbscan --build build/cuda --device cuda       the GPU

Each array is made by the generator of the benchmarks (export_data) and handed to every library that is installed:
scikit-learn and scikit-learn-intelex (CPU), PyTorch (both), flash-kmeans and cuML (GPU). Times are the minimum of several
runs after one that is not counted, inputs on the device; comparisons.py says what is timed. Needs NumPy; matplotlib draws
the picture where it is installed.
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

# OpenBLAS takes a wrong or slow kernel when these are set for another machine.
for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(variable, None)

import numpy as np

import comparisons
import libraries


def export(build, data, dtype, path):
    generator, n, d, blobs, sd = data
    seed = 1
    command = [build / "bin" / "export_data", generator, n, d, blobs, sd, seed, dtype, path]
    subprocess.run([str(part) for part in command], check=True)
    return np.load(path)


def measure_tilelearn(build, comparison, row):
    command = [build / "bin" / f"{comparison.name}_benchmark", f"--benchmark_filter=^{row}", "--benchmark_format=json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = json.loads(output)["benchmarks"]
    if len(rows) != 1 or rows[0].get("error_occurred"):
        raise RuntimeError(rows[0]["error_message"] if rows else f"no row matches {row}")
    return {**rows[0], "ms": rows[0]["real_time"]}


def run_workload(arguments, comparison, workload, installed):
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as folder:
        X = export(arguments.build, comparison.data(workload), comparison.dtype(workload),
                   pathlib.Path(folder) / "X.npy")
    row = comparison.row(workload, arguments.device)
    tasks = {"tilelearn": lambda: measure_tilelearn(arguments.build, comparison, row)}
    for library in installed:
        tasks[library.name] = lambda library=library: comparison.measure(library, X, workload, arguments.runs)
    results = {}
    for name, task in tasks.items():
        try:
            results[name] = task()
            print(f"{comparison.label(workload)}: {name} {results[name]['ms']:.3g} ms", file=sys.stderr)
        except Exception as error:  # one library's failure is a cell of the table, not the end of the run
            results[name] = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            print(f"{comparison.label(workload)}: {name}: {results[name]['error']}", file=sys.stderr)
    return results


def cell(comparison, result, good):
    return "failed" if "error" in result else f"{result['ms']:.3g}{comparison.remark(result, good)}"


def table(comparison, results, names):
    lines = [f"| {comparison.header} | limit | " + " | ".join(names) + " |", "|---" * (len(names) + 2) + "|"]
    for workload, row in results.items():
        good = [row[name] for name in names if "error" not in row[name]]
        limit = row["tilelearn"].get("limit_ms")
        cells = [cell(comparison, row[name], good) for name in names]
        lines.append(f"| {comparison.label(workload)} | {f'{limit:.3g}' if limit else ''} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def picture(comparison, results, names, path, title):
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
        heights = [row[name].get("ms", float("nan")) for row in results.values()]
        axes.bar([x + index * width for x in range(len(results))], heights, width, label=name)
    axes.set_yscale("log")
    axes.set_ylabel(comparison.axis)
    labels = [comparison.label(workload).replace(", ", "\n", 1) for workload in results]
    axes.set_xticks([x + 0.4 - width / 2 for x in range(len(results))], labels)
    axes.set_title(title)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("estimator", choices=sorted(comparisons.ALL))
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder with the benchmarks")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of the workloads to run, from 0")
    parser.add_argument("--scratch", help="folder for the arrays, up to 3 GB")
    parser.add_argument("--out", type=pathlib.Path,
                        help="folder for ESTIMATOR_peers.md and ESTIMATOR_peers.svg; default: table to stdout")
    arguments = parser.parse_args()

    comparison = comparisons.ALL[arguments.estimator]
    installed = libraries.installed(arguments.device, comparison.name)
    workloads = comparison.workloads.get(arguments.device)
    if workloads is None:
        parser.error(f"{comparison.name} is not compared on {arguments.device}")
    chosen = [workloads[i] for i in arguments.only] if arguments.only else workloads
    results = {workload: run_workload(arguments, comparison, workload, installed) for workload in chosen}
    names = ["tilelearn"] + [library.name for library in installed]
    title = f"{comparison.title}, {libraries.device_name(arguments.device)}"
    versions = ", ".join(f"{library.name} {library.version}" for library in installed)
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    text = f"{title}, {date}\n\n{table(comparison, results, names)}\n\n{versions}, Python {platform.python_version()}\n"
    print(text)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / f"{comparison.name}_peers.md").write_text(text, encoding="utf-8")
        picture(comparison, results, names, arguments.out / f"{comparison.name}_peers.svg", title)


if __name__ == "__main__":
    main()
