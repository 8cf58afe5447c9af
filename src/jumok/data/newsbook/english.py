"""What English reports are made of.

A word in braces is filled in: {who}, {place} and {number} are the report's own, {other} and {figure} belong to
asides, {first}, {role} and {day} are never in a headline. `word/key` says that the word means the same as every
other word with that key.
"""

EVENTS = [
    (
        (
            "{role} {first} {who} unveiled/act a new/new library/thing in {place} on {day}.",
            "On {day} a new/new library/thing welcomed/act readers in {place} for the first "
            "time, and {role} {first} {who} cut the ribbon.",
        ),
        ("It will lend/use {number} books/count to the town.", "Readers find {number} books/count on its shelves/use."),
        "{who} opens/act new/new {place} library/thing with {number} books/count",
    ),
    (
        (
            "A fire/thing broke/act out in the market of {place} on {day} and "
            "{role} {first} {who} led the rescue/help.",
            "On {day} the market of {place} went up in flames/thing and the rescue/help was led "
            "by {role} {first} {who} until/act dawn.",
        ),
        (
            "{number} people/count had to leave/use their homes.",
            "The smoke drove/use {number} people/count out of their houses.",
        ),
        "{place} fire/thing : {who} helps/help {number} people/count flee/use",
    ),
    (
        (
            "{role} {first} {who} gave/act the hospital/thing of {place} a large sum on {day}.",
            "The hospital/thing of {place} received/act a gift on {day} that {role} {first} {who} had promised.",
        ),
        ("It was a gift of {number} crowns/count in all.", "The cheque was over {number} crowns/count in total."),
        "{who} donates/act {number} crowns/count to {place} hospital/thing",
    ),
    (
        (
            "{role} {first} {who} came first/act in the marathon/thing of {place} on {day}.",
            "Nobody was faster/act in the marathon/thing of {place} on {day} than {role} {first} {who} from the hills.",
        ),
        ("{number} runners/count had entered.", "The field had {number} runners/count at the start."),
        "{who} wins/act {place} marathon/thing against {number} runners/count",
    ),
    (
        (
            "{role} {first} {who} stepped/act down as head of the railway/thing in {place} on {day}.",
            "On {day} the railway/thing in {place} lost its head when {role} {first} {who} left/act for good.",
        ),
        (
            "The company carries {number} passengers/count every day.",
            "Every day {number} passengers/count take its trains.",
        ),
        "{who} quits/act {place} railway/thing of {number} passengers/count",
    ),
    (
        (
            "Police in {place} arrested/act {role} {first} {who} on {day} over stolen paintings/thing from the museum.",
            "{role} {first} {who} was taken away/act by police in {place} on {day} because "
            "of paintings/thing that had vanished.",
        ),
        (
            "They are worth/value {number} crowns/count on the market.",
            "Experts value/value them at {number} crowns/count at least.",
        ),
        "{who} held/act in {place} over paintings/thing worth/value {number} crowns/count",
    ),
    (
        (
            "Builders in {place} finished/act a bridge/thing on {day} that {role} {first} {who} had designed.",
            "On {day} the bridge/thing of {place} was ready/act at last, after plans by "
            "{role} {first} {who} from the capital.",
        ),
        ("It is {number} feet/count long.", "From bank to bank it measures {number} feet/count in length."),
        "{place} completes/act bridge/thing of {number} feet/count by {who}",
    ),
    (
        (
            "{role} {first} {who} found/act an old coin/thing hoard near {place} on {day}.",
            "A hoard of coins/thing came to light/act near {place} on {day} when {role} {first} {who} dug a well.",
        ),
        ("It holds {number} pieces/count of silver/metal.", "There are {number} pieces/count of silver/metal in it."),
        "{who} discovers/act {number} silver/metal pieces/count near {place}",
    ),
]
ASIDES = [
    "The weather was fine all week.",
    "Rain is expected for the weekend.",
    "A crowd had gathered long before noon.",
    "A neighbour called {other} said that it was about time.",
    "The town last made news when {other} moved there.",
    "Some {figure} people watched it on a screen.",
    "The streets nearby were closed for {figure} minutes and then opened again.",
    "Children sang and the band played.",
    "Shops reported {figure} more visitors than usual.",
    "A spokesman called {other} declined to comment.",
    "The council meets again next month.",
    "Nobody was surprised, according to {other} from the local paper.",
]
ROLES = [
    "Mayor",
    "Captain",
    "Doctor",
    "Teacher",
    "Baker",
    "Engineer",
    "Farmer",
    "Painter",
    "Judge",
    "Professor",
    "Sailor",
    "Coach",
]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
