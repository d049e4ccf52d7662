"""Samples of partitions: P(same cluster), the consensus partition to report, and convergence diagnostics.

Arrays only: a partition is an array of labels, one per customer, and samples of partitions have one row each.
"""
