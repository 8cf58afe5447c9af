"""The translation server: `jumok serve RUN…`. A leaf room; what it knows of translating is the Translator."""
