"""Quick engines beside the readable decoder: our own for recurrent models, CTranslate2 for Transformers."""
