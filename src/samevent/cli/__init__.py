"""The command line: one file a command. `<name>_cli` only parses and calls a plain function."""
