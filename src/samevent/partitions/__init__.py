"""What samples of partitions say: who belongs with whom, the partition to report, whether to believe it.

Arrays only: a partition is an array of labels, one a customer, and a sample of partitions has a row each.
"""
