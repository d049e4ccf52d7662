"""The pictures of the documentation, each drawn from a real state of the model on the demonstration articles."""
