"""The newsbook: short reports with headlines, in English and Korean, and the words that each headline word is from.

A report says who did what where and with what number, in 3 to 8 sentences; the others are asides that a headline skips,
with names and numbers of their own. Names and numbers are invented, and those of the dev and test reports never
occur in training: they can be copied or spelled, but not remembered. The verb of a headline is not the report's.

Words are white-space words, and no name or number touches a comma, a period or a particle, so that a word of the
headline is a whole word of the report.
"""

from jumok.data.newsbook.generation import LANGUAGES, SPLITS, Report, generate

__all__ = ["LANGUAGES", "SPLITS", "Report", "generate"]
