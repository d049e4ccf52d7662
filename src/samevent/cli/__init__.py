"""The command line, one file per command. Commands parse and print; each calls a plain function."""
