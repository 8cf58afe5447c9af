"""The French lexicon: concept → word and gender; verbs that are not regular; adjectives and where they stand."""

from jumok.data.phrasebook.concepts import words

# noun → "word gender"
NOUNS: dict[str, str] = {
    "teacher": "professeur m", "doctor": "médecin m", "nurse": "infirmière f", "student": "étudiant m",
    "singer": "chanteuse f", "cook": "cuisinier m", "lawyer": "avocate f", "farmer": "fermier m", "king": "roi m",
    "queen": "reine f", "boy": "garçon m", "girl": "fille f", "child": "enfant m", "man": "homme m",
    "woman": "femme f", "neighbor": "voisin m", "customer": "cliente f", "writer": "écrivain m",
    "reporter": "journaliste f", "baker": "boulanger m", "actor": "acteur m", "director": "directeur m",
    "dancer": "danseuse f", "soldier": "soldat m",
    "mother": "mère f", "father": "père m", "grandmother": "grand-mère f", "grandfather": "grand-père m",
    "little_brother": "petit frère m", "little_sister": "petite sœur f", "son": "fils m", "aunt": "tante f",
    "uncle": "oncle m", "cousin": "cousin m", "friend": "ami m",
    "Minsu": "Minsu m", "Jihun": "Jihun m", "Jisu": "Jisu f", "Seoyeon": "Seoyeon f", "Paul": "Paul m",
    "Louis": "Louis m", "Marie": "Marie f", "Anna": "Anna f",
    "cat": "chat m", "dog": "chien m", "bird": "oiseau m", "horse": "cheval m", "rabbit": "lapin m",
    "cow": "vache f", "duck": "canard m",
    "apple": "pomme f", "sandwich": "sandwich m", "orange": "orange f", "cake": "gâteau m", "egg": "œuf m",
    "tomato": "tomate f", "banana": "banane f", "cookie": "biscuit m", "carrot": "carotte f",
    "rice": "riz m", "bread": "pain m", "soup": "soupe f", "meat": "viande f", "cheese": "fromage m",
    "coffee": "café m", "tea": "thé m", "water": "eau f", "milk": "lait m", "juice": "jus m", "wine": "vin m",
    "book": "livre m", "letter": "lettre f", "newspaper": "journal m", "poem": "poème m", "magazine": "magazine m",
    "novel": "roman m",
    "Korean": "coréen m", "French": "français m", "English": "anglais m", "history": "histoire f",
    "philosophy": "philosophie f", "chemistry": "chimie f",
    "hat": "chapeau m", "bag": "sac m", "umbrella": "parapluie m", "pencil": "crayon m", "chair": "chaise f",
    "clock": "horloge f", "key": "clé f", "shirt": "chemise f", "doll": "poupée f", "ball": "ballon m",
    "box": "boîte f", "gift": "cadeau m", "photo": "photo f", "flower": "fleur f", "lamp": "lampe f",
    "computer": "ordinateur m", "phone": "téléphone m", "bicycle": "vélo m", "car": "voiture f", "truck": "camion m",
    "movie": "film m", "song": "chanson f", "radio": "radio f", "piano": "piano m", "guitar": "guitare f",
    "house": "maison f", "bridge": "pont m", "picture": "image f", "door": "porte f", "window": "fenêtre f",
    "room": "chambre f", "tree": "arbre m", "table": "table f", "bed": "lit m",
    "money": "argent m",
    "school": "école f", "park": "parc m", "library": "bibliothèque f", "kitchen": "cuisine f",
    "garden": "jardin m", "market": "marché m", "hospital": "hôpital m", "restaurant": "restaurant m",
    "office": "bureau m", "museum": "musée m", "beach": "plage f", "station": "gare f", "theater": "théâtre m",
    "church": "église f", "village": "village m", "store": "magasin m", "hotel": "hôtel m",
    "university": "université f", "airport": "aéroport m", "home": "maison f",
    "Seoul": "Séoul m", "Busan": "Busan m", "Paris": "Paris m", "London": "Londres m",
    "bus": "bus m", "train": "train m", "taxi": "taxi m", "plane": "avion m", "subway": "métro m", "boat": "bateau m",
}  # fmt: skip
PLURALS: dict[str, str] = {"journal": "journaux", "bleu": "bleus"}
# where one is: "dans le parc"; the others take à
INSIDE = words("park kitchen garden village")

# verb → infinitive; "se" marks a reflexive one, a last word the preposition before its object
VERBS: dict[str, str] = {
    "sleep": "dormir", "run": "courir", "swim": "nager", "work": "travailler", "rest": "se reposer",
    "dance": "danser", "sing": "chanter", "laugh": "rire", "cry": "pleurer", "walk": "marcher",
    "have_lunch": "déjeuner", "have_dinner": "dîner", "take_a_walk": "se promener",
    "read": "lire", "write": "écrire", "eat": "manger", "drink": "boire", "buy": "acheter", "sell": "vendre",
    "make": "fabriquer", "cook": "cuisiner", "bake": "cuire", "build": "construire", "open": "ouvrir",
    "close": "fermer", "clean": "nettoyer", "wash": "laver", "watch": "regarder", "see": "voir",
    "listen_to": "écouter", "learn": "apprendre", "study": "étudier", "draw": "dessiner", "look_for": "chercher",
    "lose": "perdre", "use": "utiliser", "fix": "réparer", "break": "casser", "cut": "couper", "choose": "choisir",
    "plant": "planter", "carry": "porter", "like": "aimer", "hate": "détester", "know": "connaître",
    "meet": "rencontrer", "help": "aider", "wait_for": "attendre", "call": "appeler", "invite": "inviter",
    "play": "jouer de", "drive": "conduire", "give": "donner", "send": "envoyer", "show": "montrer",
    "lend": "prêter", "teach": "enseigner", "go": "aller", "come": "venir", "return": "retourner",
    "arrive": "arriver", "live": "habiter",
}  # fmt: skip
WITH_ETRE = words("aller venir retourner arriver")

# infinitive → "je tu il nous vous ils|future stem|past participle"
CONJUGATION: dict[str, str] = {
    "être": "suis es est sommes êtes sont|ser|été",
    "avoir": "ai as a avons avez ont|aur|eu",
    "aller": "vais vas va allons allez vont|ir|allé",
    "venir": "viens viens vient venons venez viennent|viendr|venu",
    "faire": "fais fais fait faisons faites font|fer|fait",
    "pouvoir": "peux peux peut pouvons pouvez peuvent|pourr|pu",
    "vouloir": "veux veux veut voulons voulez veulent|voudr|voulu",
    "devoir": "dois dois doit devons devez doivent|devr|dû",
    "dormir": "dors dors dort dormons dormez dorment|dormir|dormi",
    "courir": "cours cours court courons courez courent|courr|couru",
    "rire": "ris ris rit rions riez rient|rir|ri",
    "lire": "lis lis lit lisons lisez lisent|lir|lu",
    "écrire": "écris écris écrit écrivons écrivez écrivent|écrir|écrit",
    "boire": "bois bois boit buvons buvez boivent|boir|bu",
    "vendre": "vends vends vend vendons vendez vendent|vendr|vendu",
    "perdre": "perds perds perd perdons perdez perdent|perdr|perdu",
    "attendre": "attends attends attend attendons attendez attendent|attendr|attendu",
    "cuire": "cuis cuis cuit cuisons cuisez cuisent|cuir|cuit",
    "construire": "construis construis construit construisons construisez construisent|construir|construit",
    "conduire": "conduis conduis conduit conduisons conduisez conduisent|conduir|conduit",
    "ouvrir": "ouvre ouvres ouvre ouvrons ouvrez ouvrent|ouvrir|ouvert",
    "voir": "vois vois voit voyons voyez voient|verr|vu",
    "apprendre": "apprends apprends apprend apprenons apprenez apprennent|apprendr|appris",
    "choisir": "choisis choisis choisit choisissons choisissez choisissent|choisir|choisi",
    "connaître": "connais connais connaît connaissons connaissez connaissent|connaîtr|connu",
    "pleuvoir": "pleus pleus pleut pleuvons pleuvez pleuvent|pleuvr|plu",
}
# -er verbs whose stem changes before a mute e, and futures that follow no rule
STRONG_STEMS: dict[str, str] = {
    "acheter": "achèt", "promener": "promèn", "appeler": "appell", "nettoyer": "nettoi", "envoyer": "envoi",
}  # fmt: skip
FUTURE_STEMS: dict[str, str] = {"envoyer": "enverr"}

# adjective → masculine; "+" when it stands before its noun
ADJECTIVES: dict[str, str] = {
    "big": "grand +", "small": "petit +", "beautiful": "beau +", "pretty": "joli +", "expensive": "cher",
    "old": "vieux +", "new": "nouveau +", "interesting": "intéressant", "boring": "ennuyeux",
    "delicious": "délicieux", "red": "rouge", "blue": "bleu", "white": "blanc", "black": "noir", "yellow": "jaune",
    "heavy": "lourd", "light": "léger", "long": "long +", "short": "court", "difficult": "difficile",
    "easy": "facile", "happy": "heureux", "tired": "fatigué", "sick": "malade", "busy": "occupé",
    "kind": "gentil", "young": "jeune +", "famous": "célèbre", "smart": "intelligent",
    "green": "vert", "free": "libre", "poor": "pauvre",
}  # fmt: skip
FEMININES: dict[str, str] = {
    "beau": "belle", "nouveau": "nouvelle", "vieux": "vieille", "blanc": "blanche", "cher": "chère",
    "léger": "légère", "long": "longue", "gentil": "gentille", "ennuyeux": "ennuyeuse", "délicieux": "délicieuse",
    "heureux": "heureuse", "violet": "violette",
}  # fmt: skip

# expressions: word:slots, the slots being those of the English words that say the same
TIMES: dict[str, str] = {
    "yesterday": "hier:0", "last_week": "la semaine:1 dernière:0", "last_year": "l'année:1 dernière:0",
    "this_morning": "ce:0 matin:1", "last_night": "la nuit:1 dernière:0", "today": "aujourd'hui:0",
    "on_Monday": "lundi:1", "on_Sunday": "dimanche:1", "tomorrow": "demain:0", "next_week": "la semaine:1 prochaine:0",
    "next_year": "l'année:1 prochaine:0", "this_evening": "ce:0 soir:1", "every_day": "chaque:0 jour:1",
    "every_morning": "chaque:0 matin:1", "in_the_evening": "le:1 soir:2", "at_night": "la nuit:1",
    "now": "maintenant:0",
}  # fmt: skip
ADVERBS: dict[str, str] = {
    "always": "toujours", "often": "souvent", "sometimes": "parfois", "slowly": "lentement", "quickly": "rapidement",
    "quietly": "tranquillement", "happily": "joyeusement", "very": "très",
}  # fmt: skip
LOCATIONS: dict[str, str] = {
    "on": "sur", "under": "sous", "behind": "derrière", "in_front_of": "devant", "next_to": "à côté de",
    "inside": "dans",
}  # fmt: skip
NUMBERS: dict[int, str] = {2: "deux", 3: "trois", 4: "quatre", 5: "cinq", 6: "six"}
