"""Knowledge of sound: decoding, measuring, drawing and cutting it; plain Python that runs in a sealed child process."""
