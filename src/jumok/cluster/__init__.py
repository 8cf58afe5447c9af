"""Translation on a Ray cluster: large corpora on Ray Data, requests on Ray Serve; needs the extra `ray`."""
