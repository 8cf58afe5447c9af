"""The Korean lexicon: concept → word, counter and how it is conjugated."""

from jumok.data.phrasebook.concepts import words

# noun → "word/counter"; 명 for people, 마리 for animals and 개 for the rest when no counter is given
NOUNS: dict[str, str] = {
    "teacher": "선생님/분", "doctor": "의사", "nurse": "간호사", "student": "학생", "singer": "가수",
    "cook": "요리사", "lawyer": "변호사", "farmer": "농부", "king": "왕", "queen": "여왕", "boy": "소년",
    "girl": "소녀", "child": "아이", "man": "남자", "woman": "여자", "neighbor": "이웃", "customer": "손님/분",
    "writer": "작가", "reporter": "기자", "baker": "제빵사", "actor": "배우", "director": "사장님/분",
    "dancer": "무용수", "soldier": "군인",
    "mother": "어머니", "father": "아버지", "grandmother": "할머니", "grandfather": "할아버지",
    "little_brother": "남동생", "little_sister": "여동생", "son": "아들", "aunt": "이모", "uncle": "삼촌",
    "cousin": "사촌", "friend": "친구",
    "Minsu": "민수", "Jihun": "지훈", "Jisu": "지수", "Seoyeon": "서연", "Paul": "폴", "Louis": "루이",
    "Marie": "마리", "Anna": "안나",
    "cat": "고양이/마리", "dog": "개/마리", "bird": "새/마리", "horse": "말/마리", "rabbit": "토끼/마리",
    "cow": "소/마리", "duck": "오리/마리",
    "apple": "사과", "sandwich": "샌드위치", "orange": "오렌지", "cake": "케이크", "egg": "달걀", "tomato": "토마토",
    "banana": "바나나", "cookie": "과자", "carrot": "당근",
    "rice": "밥", "bread": "빵", "soup": "수프", "meat": "고기", "cheese": "치즈",
    "coffee": "커피/잔", "tea": "차/잔", "water": "물/잔", "milk": "우유/잔", "juice": "주스/잔", "wine": "와인/잔",
    "book": "책/권", "letter": "편지/통", "newspaper": "신문/부", "poem": "시/편", "magazine": "잡지/권",
    "novel": "소설/편",
    "Korean": "한국어", "French": "프랑스어", "English": "영어", "history": "역사", "philosophy": "철학",
    "chemistry": "화학",
    "hat": "모자", "bag": "가방", "umbrella": "우산", "pencil": "연필/자루", "chair": "의자", "clock": "시계",
    "key": "열쇠", "shirt": "셔츠/장", "doll": "인형", "ball": "공", "box": "상자", "gift": "선물",
    "photo": "사진/장", "flower": "꽃/송이", "lamp": "램프",
    "computer": "컴퓨터/대", "phone": "전화기/대", "bicycle": "자전거/대", "car": "자동차/대", "truck": "트럭/대",
    "movie": "영화/편", "song": "노래/곡", "radio": "라디오", "piano": "피아노/대", "guitar": "기타/대",
    "house": "집/채", "bridge": "다리", "picture": "그림/장", "door": "문", "window": "창문", "room": "방",
    "tree": "나무/그루", "table": "탁자", "bed": "침대", "money": "돈",
    "school": "학교", "park": "공원", "library": "도서관", "kitchen": "부엌", "garden": "정원", "market": "시장",
    "hospital": "병원", "restaurant": "식당", "office": "사무실", "museum": "박물관", "beach": "바닷가",
    "station": "역", "theater": "극장", "church": "교회", "village": "마을", "store": "가게", "hotel": "호텔",
    "university": "대학교", "airport": "공항", "home": "집",
    "Seoul": "서울", "Busan": "부산", "Paris": "파리", "London": "런던",
    "bus": "버스", "train": "기차", "taxi": "택시", "plane": "비행기", "subway": "지하철", "boat": "배",
}  # fmt: skip
GIVEN_NAMES = words("Minsu Jihun Jisu Seoyeon")  # Korean ones, which take 이 after a consonant
RESPECTED = words("teacher customer director mother father grandmother grandfather")
# "my" is 우리 before elder relatives and what belongs to the family
OURS = words("mother father grandmother grandfather aunt uncle house cat dog")

# verb → "[words before] stem다[:irregular class]"; a main verb and its auxiliary are joined by "_"
VERBS: dict[str, str] = {
    "sleep": "자다", "run": "달리다", "swim": "수영하다", "work": "일하다", "rest": "쉬다", "dance": "춤을 추다",
    "sing": "노래를 부르다:르", "laugh": "웃다", "cry": "울다", "walk": "걷다:ㄷ", "have_lunch": "점심을 먹다",
    "have_dinner": "저녁을 먹다", "take_a_walk": "산책하다",
    "read": "읽다", "write": "쓰다", "eat": "먹다", "drink": "마시다", "buy": "사다", "sell": "팔다",
    "make": "만들다", "cook": "요리하다", "bake": "굽다:ㅂ", "build": "짓다:ㅅ", "open": "열다", "close": "닫다",
    "clean": "청소하다", "wash": "씻다", "watch": "보다", "see": "보다", "listen_to": "듣다:ㄷ", "learn": "배우다",
    "study": "공부하다", "draw": "그리다", "look_for": "찾다", "lose": "잃어버리다", "use": "사용하다",
    "fix": "고치다", "break": "부수다", "cut": "자르다:르", "choose": "고르다:르", "plant": "심다",
    "carry": "나르다:르",
    "like": "좋아하다", "hate": "싫어하다", "know": "알다", "meet": "만나다", "help": "돕다:ㅂ",
    "wait_for": "기다리다", "call": "부르다:르", "invite": "초대하다", "play": "치다", "drive": "운전하다",
    "give": "주다", "send": "보내다", "show": "보여_주다", "lend": "빌려주다", "teach": "가르치다",
    "go": "가다", "come": "오다", "return": "돌아가다", "arrive": "도착하다", "live": "살다",
}  # fmt: skip
# verbs whose honorific is another word: the stem already carries 시
RESPECTFUL_VERBS: dict[str, str] = {
    "sleep": "주무시", "eat": "드시", "drink": "드시", "have_lunch": "드시", "have_dinner": "드시",
}  # fmt: skip
# verbs whose receiver or object is respected; auxiliaries are written apart unless the dictionary has the verb as one
HUMBLE_VERBS: dict[str, str] = {
    "give": "드리다", "show": "보여_드리다", "lend": "빌려드리다", "teach": "가르쳐_드리다", "send": "보내_드리다",
    "meet": "뵙다:뵙", "help": "도와드리다",
}  # fmt: skip
UNRESPECTED = words("see")  # never of somebody respected: 뵙다 says both, and is taken for "meet"
# verb → object → the verb that Korean uses with it
BY_OBJECT: dict[str, dict[str, str]] = {
    "cook": {"soup": "끓이다"},
    "open": {"letter": "뜯다", "gift": "풀다"},
    "break": {"window": "깨다", "lamp": "깨다"},
    "use": {"umbrella": "쓰다"},
    "build": {"bridge": "놓다"},
}
INTO = words("plant")  # whose place takes 에: what is planted stays there
TOWARDS = words("return")  # whose goal takes 로: 집에 돌아가시다 would be heard as dying at home

# adjective → "[words before] stem다[:class]"; "새" and "초록색" have no stem and stand only before nouns
ADJECTIVES: dict[str, str] = {
    "big": "크다", "small": "작다", "beautiful": "아름답다:ㅂ", "pretty": "예쁘다", "expensive": "비싸다",
    "old": "낡다", "new": "새", "interesting": "재미있다", "boring": "지루하다",
    "delicious": "맛있다", "red": "빨갛다:ㅎ", "blue": "파랗다:ㅎ", "white": "하얗다:ㅎ", "black": "까맣다:ㅎ",
    "yellow": "노랗다:ㅎ", "heavy": "무겁다:ㅂ", "light": "가볍다:ㅂ", "long": "길다", "short": "짧다",
    "difficult": "어렵다:ㅂ", "easy": "쉽다:ㅂ", "happy": "행복하다", "tired": "피곤하다",
    "sick": "아프다", "busy": "바쁘다", "kind": "친절하다", "young": "젊다", "famous": "유명하다",
    "smart": "똑똑하다", "green": "초록색", "free": "시간이 있다", "poor": "가난하다",
}  # fmt: skip
BECOME = words("old")  # a state that has come about: 낡았어요, never 낡아요
RESPECTFUL_ADJECTIVES: dict[str, str] = {"sick": "편찮으시"}  # the stem already carries 시
DEGREES: dict[str, str] = {"sick": "많이"}  # how "very" is said of them; 아주 of the others

# expressions: word:slots, the slots being those of the English words that say the same
TIMES: dict[str, str] = {
    "yesterday": "어제:0", "last_week": "지난주에:01", "last_year": "작년에:01", "this_morning": "오늘:0 아침에:1",
    "last_night": "어젯밤에:01", "today": "오늘:0", "on_Monday": "월요일에:1", "on_Sunday": "일요일에:1",
    "tomorrow": "내일:0", "next_week": "다음:0 주에:1", "next_year": "내년에:01", "this_evening": "오늘:0 저녁에:1",
    "every_day": "매일:01", "every_morning": "매일:0 아침:1", "in_the_evening": "저녁에:2", "at_night": "밤에:1",
    "now": "지금:0",
}  # fmt: skip
ADVERBS: dict[str, str] = {
    "always": "항상", "often": "자주", "sometimes": "가끔", "slowly": "천천히", "quickly": "빨리",
    "quietly": "조용히", "happily": "즐겁게", "very": "아주",
}  # fmt: skip
LOCATIONS: dict[str, str] = {
    "on": "위에", "under": "아래에", "behind": "뒤에", "in_front_of": "앞에", "next_to": "옆에", "inside": "안에",
}  # fmt: skip
NUMBERS: dict[int, str] = {2: "두", 3: "세", 4: "네", 5: "다섯", 6: "여섯"}
