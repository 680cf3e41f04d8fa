// What the tests of linear models share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tilelearn/linear_regression.hpp>

#include "support/device_test.hpp"

namespace tilelearn::testing {

/// Fits of data in CPU memory on the instance's device.
template <typename I>
class LinearTest : public DeviceTest<I> {
 protected:
  using Value = typename I::Value;

  [[nodiscard]] LinearRegression<Value> fit(const Matrix<Value>& X, const Matrix<Value>& Y,
                                            const LinearRegressionOptions& options = {},
                                            const Vector<Value>* weights = nullptr) const {
    const Matrix<Value> X_there = X.to(this->device());
    const Matrix<Value> Y_there = Y.to(this->device());
    const Vector<Value> weights_there = weights == nullptr ? Vector<Value>() : weights->to(this->device());
    LinearRegressionFitArguments<Value> arguments;
    if (weights != nullptr) arguments.sample_weight = weights_there.view();
    LinearRegression<Value> model(options);
    model.fit(X_there.view(), Y_there.view(), arguments);
    return model;
  }
};

}  // namespace tilelearn::testing
