"""The parts of scripts/mutate: faults, the tests, and which test runs which line."""
