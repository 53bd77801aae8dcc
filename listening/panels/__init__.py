"""Panels, seats, links, designs, monitoring, paper and workbooks: the experimenter's half of listening."""
