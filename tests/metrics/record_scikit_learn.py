#!/usr/bin/env python3
"""Writes scikit_learn_values.hpp: metrics of scikit-learn on small data (run: python3 record_scikit_learn.py)."""
import pathlib

import numpy as np
import sklearn
from sklearn.metrics import adjusted_rand_score, silhouette_samples, silhouette_score

X = np.array([[i % 7 + 0.25 * (i % 3), (i * i) % 11, 0.5 * (i % 5)] for i in range(24)])
labels = np.array([0, 1, 1, 0, 2, 2, -1, 0, 1, 2, 2, 0, 1, 1, 0, 2, 0, 1, 2, 0, 1, 2, 0, 5])
other = np.array([(i * 5) % 4 for i in range(24)])


def braces(values):
    return "{" + ", ".join(repr(v) for v in np.ravel(values).tolist()) + "}"


lines = [
    f"// Recorded from scikit-learn {sklearn.__version__} by record_scikit_learn.py; float64.",
    "#pragma once",
    "",
    "#include <cstdint>",
    "#include <vector>",
    "",
    "namespace tilelearn::testing::scikit_learn {",
    "",
    "inline const std::vector<double> points" + braces(X) + ";  // 24 x 3",
    "inline const std::vector<std::int32_t> labels" + braces(labels) + ";",
    "inline const std::vector<std::int32_t> other_labels" + braces(other) + ";",
    "inline const std::vector<double> silhouettes" + braces(silhouette_samples(X, labels)) + ";",
    f"inline constexpr double silhouette = {float(silhouette_score(X, labels))!r};",
    f"inline constexpr double rand_index = {float(adjusted_rand_score(labels, other))!r};",
    "",
    "}  // namespace tilelearn::testing::scikit_learn",
    "",
]
pathlib.Path(__file__).with_name("scikit_learn_values.hpp").write_text("\n".join(lines))
