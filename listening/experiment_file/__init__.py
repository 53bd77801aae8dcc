"""An experiment as a YAML file: the keys and values it may have, reading and writing, without the database."""
