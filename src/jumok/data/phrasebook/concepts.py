"""What can be talked about: nouns by class, verbs by what they take, and so on; the words themselves are per language.

A concept's key is its English dictionary form with `_` between words. Classes keep sentences sensible: people read
books and drink tea, never the other way round.
"""


def listed(text: str) -> tuple[str, ...]:
    """The words of a line."""
    return tuple(text.split())


def words(text: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(text.split())


# class → keys. The class also fixes the article a plain object takes (ARTICLES), which is what lets Korean, which has
# no articles, be translated back in only one way.
NOUNS: dict[str, str] = {
    "worker": """teacher doctor nurse student singer cook lawyer farmer king queen boy girl child man woman neighbor
        customer writer reporter baker actor director dancer soldier""",
    "kin": "mother father grandmother grandfather little_brother little_sister son aunt uncle cousin friend",
    "name": "Minsu Jihun Jisu Seoyeon Paul Louis Marie Anna",
    "animal": "cat dog bird horse rabbit cow duck",
    "food": "apple sandwich orange cake egg tomato banana cookie carrot",
    "dish": "rice bread soup meat cheese",
    "drink": "coffee tea water milk juice wine",
    "text": "book letter newspaper poem magazine novel",
    "subject": "Korean French English history philosophy chemistry",
    "thing": "hat bag umbrella pencil chair clock key shirt doll ball box gift photo flower lamp",
    "machine": "computer phone bicycle car truck",
    "show": "movie",
    "song": "song",
    "broadcast": "radio",
    "instrument": "piano guitar",
    "building": "house bridge",
    "art": "picture",
    "part": "door window",
    "room": "room",
    "tree": "tree",
    "furniture": "table bed",
    "money": "money",
    "place": """school park library kitchen garden market hospital restaurant office museum beach station theater
        church village store hotel university airport home""",
    "city": "Seoul Busan Paris London",
    "vehicle": "bus train taxi plane subway boat",
}

# The article of a noun that has no other determiner and is not the subject.
ARTICLES: dict[str, str] = {
    "worker": "the", "kin": "the", "name": "none", "animal": "a", "food": "a", "dish": "some", "drink": "some",
    "text": "a", "subject": "all", "thing": "a", "machine": "a", "show": "a", "song": "a", "broadcast": "the",
    "instrument": "the",
    "building": "a", "art": "a", "part": "the", "room": "the", "tree": "a", "furniture": "the", "place": "the",
    "city": "none", "vehicle": "none", "money": "some",
}  # fmt: skip

_PRINTED = "book newspaper magazine novel"
ALONE = listed("sleep run swim work rest dance sing laugh cry walk have_lunch have_dinner take_a_walk")
# verb → what the object may be: classes or single nouns
OBJECTS: dict[str, str] = {
    "read": "text",
    "write": "letter poem novel book",
    "eat": "food dish",
    "drink": "drink",
    "buy": f"food bread soup meat cheese {_PRINTED} thing machine house tree table bed",
    "sell": f"food bread soup meat cheese {_PRINTED} thing machine house tree table bed",
    "make": "hat bag chair doll box lamp table bed clock",
    "cook": "soup meat egg",
    "bake": "bread cake cookie",
    "build": "building",
    "open": "part box bag letter gift",
    "close": "part box bag",
    "clean": "room house",
    "wash": "apple tomato carrot",
    "watch": "show",
    "see": "worker kin name animal pronoun tree",
    "listen_to": "song radio",
    "learn": "subject",
    "study": "subject",
    "draw": "art animal flower house tree",
    "look_for": "worker kin name animal text thing machine pronoun",
    "lose": "hat bag umbrella key letter clock phone",
    "use": "computer phone umbrella pencil lamp",
    "fix": "machine chair clock lamp door window table bed",
    "break": "chair clock doll lamp window phone",
    "cut": "apple cake tomato carrot bread meat cheese",
    "choose": f"cake {_PRINTED} hat bag shirt doll gift flower song show",
    "plant": "flower tree",
    "carry": "bag box chair table",
    "like": "food dish drink animal text flower song show subject worker name",
    "hate": "food dish drink animal subject",
    "know": "worker name song",
    "meet": "worker kin name pronoun",
    "help": "worker kin name pronoun",
    "wait_for": "worker kin name pronoun",
    "call": "worker kin name animal pronoun",
    "invite": "worker kin name pronoun",
    "play": "instrument",
    "drive": "car truck",
}
# the same for verbs that have a receiver as well
GIFTS: dict[str, str] = {
    "give": "food text thing phone bicycle money",
    "send": "text hat bag gift photo flower",
    "show": "text gift photo picture clock doll key house",
    "lend": f"{_PRINTED} umbrella bag pencil phone bicycle car money",
    "teach": "subject song",
}
# verb → (frame, what the object may be)
#   alone: no object · object: a direct object · give: and a receiver · goal: goes to a place · home: lives in a place
VERBS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(ALONE, ("alone", "")),
    **{verb: ("object", things) for verb, things in OBJECTS.items()},
    **{verb: ("give", things) for verb, things in GIFTS.items()},
    **dict.fromkeys(listed("go come return arrive"), ("goal", "")),
    "live": ("home", ""),
}

STATES = words("like hate know live")  # imparfait in French
LASTING = words("know")  # only in the present
UNDERWAY_NEVER = STATES | words("arrive see lose break invite")  # no progressive
ONCE = words("lose break build plant invite")  # no habit: not in the present, not often
MISHAPS = words("lose break")  # not planned: only in the past
CREATED = words("write make draw bake cook build plant")  # of what is not there before: no "this", no "my"
# verb → where it is done
PLACES: dict[str, str] = {
    "sleep": "hotel home", "run": "park garden beach", "swim": "beach", "rest": "park garden beach hotel home",
    "work": "hospital restaurant office market library museum store hotel airport university",
    "dance": "park theater school hotel", "sing": "theater church park school", "laugh": "school theater restaurant",
    "cry": "school station airport hospital", "walk": "park garden beach village",
    "have_lunch": "restaurant park office school university home", "have_dinner": "restaurant hotel home",
    "take_a_walk": "park garden beach village", "read": "library park school home station",
    "write": "library office home hotel", "eat": "restaurant park kitchen home market",
    "drink": "restaurant kitchen office home hotel", "buy": "market store airport station",
    "sell": "market store village", "cook": "kitchen restaurant home", "bake": "kitchen home restaurant",
    "watch": "theater home", "see": "park market station museum beach village", "learn": "school university",
    "study": "library school university home", "draw": "park school museum garden",
    "look_for": "park market station museum airport", "plant": "garden park", "choose": "store market library",
    "meet": "park station airport library museum restaurant", "help": "hospital school market station",
    "wait_for": "station airport park school hotel", "play": "school church home theater",
    "call": "park station market", "use": "school office library home", "fix": "school office home village",
}  # fmt: skip
TOGETHER = words(
    """run swim work rest dance sing laugh walk have_lunch have_dinner take_a_walk read eat drink watch learn study
    draw plant play go come return arrive live"""
)
MANNERS_OF: dict[str, str] = {
    "slowly": "run swim walk read write eat drink open close draw drive",
    "quickly": "run swim walk read write eat open close clean wash cut fix drive",
    "quietly": "read write sing rest work open close cry study draw",
    "happily": "dance sing laugh run swim work draw bake cook play",
}
ORDERED = listed(
    """read open close clean wash fix cut help wait_for look_for carry plant draw choose bake cook buy use study
    listen_to write"""
)  # what one may be asked to do

# The following lists keep each word form frequent enough to be learned from some ten thousand sentences.
WANTED = words(
    """sleep swim work rest dance sing have_lunch take_a_walk read write eat drink buy sell watch learn study draw meet
    help play drive teach go live"""
)  # what can be wanted, and what one must or can do
BESIDES = listed(
    "sleep swim dance sing walk have_lunch read write eat drink buy sell watch study draw meet help clean cook"
)  # what is done beside, before or after something else
HONOURED = words(
    """sleep rest walk work have_lunch read write eat drink buy sell make open see meet help wait_for like know teach
    give go come return arrive"""
)  # what respected people are said to do
QUESTIONED = listed(
    """sleep work rest sing read write eat drink buy make watch see learn study meet help like know go come return
    arrive live"""
)
WHAT_ASKED = listed("read write eat drink buy make learn study like")
REASONS = listed("come arrive return cry sing help wait_for call")
# what a thing's relative clause may say was done with it, and what a person's may say of him
DONE_WITH = listed("buy make write draw like bake cook choose use read fix")
KNOWN_FOR = listed("read study learn live know help like buy draw drive sing dance work meet wait_for")

# adjective → what may be called so
ADJECTIVES: dict[str, str] = {
    "big": "animal thing machine house table bed tree building",
    "small": "animal thing machine house table bed tree building",
    "beautiful": "flower tree house song hat queen singer picture",
    "pretty": "doll bag hat flower bird shirt lamp",
    "expensive": "thing machine house table bed",
    "old": "hat bag umbrella chair clock shirt doll box photo lamp machine house bridge table bed",
    "new": "hat bag umbrella shirt machine house lamp clock key",
    "interesting": "text show",
    "boring": "text show",
    "delicious": "food dish",
    "red": "hat bag umbrella shirt apple tomato flower car box door",
    "blue": "hat bag umbrella shirt car box door bird bicycle",
    "white": "hat bag umbrella shirt cat dog bird horse rabbit duck cow flower",
    "black": "hat bag umbrella shirt cat dog horse cow car bicycle",
    "yellow": "hat bag umbrella shirt banana flower bird bicycle",
    "heavy": "bag box chair computer table",
    "light": "bag umbrella chair phone",
    "long": "letter poem novel song show",
    "short": "letter poem novel song show",
    "difficult": "text song",
    "easy": "text song",
    "happy": "worker kin name",
    "tired": "worker kin name",
    "sick": "worker kin name animal",
    "busy": "worker kin name",
    "kind": "worker kin name",
    "young": "teacher doctor nurse student singer cook lawyer farmer king queen writer reporter baker actor dancer",
    "famous": "teacher doctor singer cook lawyer writer reporter actor dancer",
    "smart": "student boy girl child lawyer writer dog",
    "green": "apple hat bag umbrella shirt car box door tree",
    "free": "worker kin name",
    "poor": "student singer cook farmer boy girl child man woman neighbor writer baker actor dancer soldier",
}
PREDICATE_ONLY = words("tired busy happy sick free")
ATTRIBUTE_ONLY = words("new young green")
FEELINGS = listed("happy tired sick busy free")  # how somebody may be on some day
UNGRADED = words("free")  # never "very"
COMPARED: dict[str, str] = {
    "big": "house car dog horse bag", "small": "house car dog cat bag", "expensive": "car computer bicycle hat bag",
    "old": "house car computer bicycle", "heavy": "bag computer", "interesting": "book novel movie",
    "long": "novel movie",
}  # fmt: skip

# time expression → tenses it goes with (p past, n present, f future, g progressive)
TIMES: dict[str, str] = {
    "yesterday": "p", "last_week": "p", "last_year": "p", "this_morning": "p", "last_night": "p",
    "today": "pnf", "on_Monday": "pf", "on_Sunday": "pf",
    "tomorrow": "f", "next_week": "f", "next_year": "f", "this_evening": "f",
    "every_day": "n", "every_morning": "n", "in_the_evening": "n", "at_night": "n",
    "now": "g",
}  # fmt: skip
FREQUENCIES = ("always", "often", "sometimes")
LOCATIONS: dict[str, str] = {
    "on": "table bed chair box",
    "under": "table bed chair tree",
    "behind": "house door tree box school church",
    "in_front_of": "house window door school store hotel station",
    "next_to": "house tree bed window library church",
    "inside": "box bag car house room",
}
LOCATED = "cat dog bird rabbit duck book letter hat bag umbrella key ball doll box gift photo flower lamp"
OWNED = "cat dog horse rabbit car bicycle computer phone piano guitar umbrella key house clock money"
VEHICLES = {"city": "bus train plane boat", "place": "bus taxi subway"}
NEAR = words("kitchen garden")  # nobody takes a taxi there
WEATHER = ("rain", "snow", "cold", "hot")
PROFESSIONS = "doctor nurse student singer cook lawyer"
