"""API for experimenters: files, extensions, questions, panels, designs and links."""
