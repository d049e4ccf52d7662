"""ECB+ protocols and the paper's tables, beside what samevent measures."""
