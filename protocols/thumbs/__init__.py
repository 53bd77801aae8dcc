"""THumBS: scores of captions."""
