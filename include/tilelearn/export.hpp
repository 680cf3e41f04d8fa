// Visibility of the public interface: both libraries are built with hidden symbols.
#pragma once

#define TILELEARN_API __attribute__((visibility("default")))
