"""One reader a family of formats: what libsndfile seeks in, MP3 through its frames, and packets through libav."""
