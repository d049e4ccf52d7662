"""The pictures of the documentation, drawn from the model's states on the demo articles and from the code."""
