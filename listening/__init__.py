"""Who hears, when, and on what equipment: panels, seats, visits, and the participant's pages."""
