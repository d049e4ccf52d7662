"""Results in the shapes of other libraries, each imported only when it is asked for."""
