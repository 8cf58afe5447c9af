"""MarianMT models in Hugging Face's layout: read into a run, and written from one."""
