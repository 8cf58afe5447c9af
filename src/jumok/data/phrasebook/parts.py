"""The parts of a meaning that words can say: slots of a noun phrase and of a clause, added to its `id`."""

# slots of a noun phrase
HEAD, DET, ADJ, NUM, OF, CUP, AND, RELATIVE = range(8)
# slots of a clause
(
    VERB,
    NOT,
    AUX,
    MODAL,
    CONJ,
    SUBJECT,
    PREP,
    VERB_NOUN,
    DEGREE,
    MORE,
    THAN,
    WITH,
    BY,
    ASK,
    TO,
    THERE,
    PLEASE,
    PREP_REST,
) = range(18)
TIME, FREQUENCY, MANNER, VEHICLE, WEATHER, MODAL_WORD = 32, 40, 44, 48, 50, 52
