"""P.835: speech, background and overall quality."""
