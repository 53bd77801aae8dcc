"""A child process without network, files or time to lose, in which strangers' files are decoded."""
