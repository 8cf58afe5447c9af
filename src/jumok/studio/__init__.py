"""The studio: a web page over trained models. `payload` is the contract, `app` the server."""
