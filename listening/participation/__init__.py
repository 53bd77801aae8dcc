"""Consent, visits, sound checks, the trial API and receipts: the participant's half of listening."""
