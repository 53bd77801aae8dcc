"""Any passage of a long recording, cut out without loss."""
