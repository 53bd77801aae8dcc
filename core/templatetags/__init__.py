"""Template filters and tags that every app may use."""
