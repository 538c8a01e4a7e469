"""Everything that opens an untrusted file, and the child process in which alone it does so."""
