"""TC/SD plane: temporal consistency and source diversity of summaries."""
