"""What templates of other rooms may ask of listening."""
