"""Resumable uploads: the tus protocol, the manifest of declared files, and the files on disk."""
