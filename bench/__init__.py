"""Benchmarks, as ratios against yardsticks of the same run: `make bench`, or parts by name."""
