// What the tests of linear models share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tilelearn/linear_regression.hpp>

#include "support/device_test.hpp"
