#!/usr/bin/env python3
"""Writes scikit_learn_values.hpp: StandardScaler of scikit-learn on a small table (run: python3 record_scikit_learn.py)."""
import pathlib

import numpy as np
import sklearn
from sklearn.preprocessing import StandardScaler

X = np.array([[5.1, 3.5, 1000.25], [4.9, 3.0, 1000.5], [6.3, 2.5, 1001.75], [5.8, 2.75, 999.0], [7.1, 3.25, 1000.0]])
weights = np.array([1.0, 2.0, 0.5, 3.0, 0.25])


def braces(values):
    return "{" + ", ".join(repr(float(v)) for v in np.ravel(values)) + "}"


lines = [
    f"// Recorded from scikit-learn {sklearn.__version__} by record_scikit_learn.py; float64.",
    "#pragma once",
    "",
    "#include <vector>",
    "",
    "namespace tilelearn::testing::scikit_learn {",
    "",
    "inline const std::vector<double> table" + braces(X) + ";  // 5 x 3",
    "inline const std::vector<double> weights" + braces(weights) + ";",
]
for name, w in (("plain", None), ("weighted", weights)):
    scaler = StandardScaler().fit(X, sample_weight=w)
    for attribute, values in (("mean", scaler.mean_), ("variance", scaler.var_), ("scale", scaler.scale_),
                              ("transformed", scaler.transform(X))):
        lines.append(f"inline const std::vector<double> {name}_{attribute}" + braces(values) + ";")
lines += ["", "}  // namespace tilelearn::testing::scikit_learn", ""]
pathlib.Path(__file__).with_name("scikit_learn_values.hpp").write_text("\n".join(lines))
