"""What Korean reports are made of, written as in `english`. Titles and nouns carry particles, names stand alone.

A counter stands alone too, so that it can be copied: what follows is a word of its own, never a particle or ending.
"""

EVENTS = [
    (
        (
            "{day} {place} 마을에 {who} {role}의 노력으로 도서관이/thing 문을/act 열었다.",
            "{who} {role}이 {day} {place} 마을에 새로 지은 도서관을/thing 공개했다/act.",
        ),
        ("이곳에는 책이/books {number} 권/count 있다.", "서가에는 모두 {number} 권/count 분량의 책이/books 꽂혀 있다."),
        "{who} {place} 도서관/thing 개관/act … 장서/books {number} 권/count",
    ),
    (
        (
            "{day} {place} 시장에서/market 불이/thing 나/act {who} {role}이 구조를 이끌었다/lead.",
            "{day} 불길이/thing {place} 시장을/market 덮쳤고/act {who} {role}이 새벽까지 구조를 지휘했다/lead.",
        ),
        (
            "주민 {number} 명/count 남짓이 집을 떠났다/use.",
            "연기 때문에 {number} 명/count 정도의 주민이 몸을 피했다/use.",
        ),
        "{place} 시장/market 화재/thing 발생/act … {who} 지휘로/lead {number} 명/count 대피/use",
    ),
    (
        (
            "{who} {role}이 {day} {place} 병원에/thing 큰돈을 건넸다/act.",
            "{day} {place} 병원이/thing {who} {role}에게서 약속한 선물을 받았다/act.",
        ),
        ("금액은 모두 {number} 냥/count 정도이다.", "수표에는 {number} 냥/count 상당의 금액이 적혀 있었다."),
        "{who} {place} 병원에/thing {number} 냥/count 기부/act",
    ),
    (
        (
            "{who} {role}이 {day} {place} 마라톤에서/thing 가장/act 먼저 들어왔다.",
            "{day} {place} 마라톤에서/thing {who} {role}보다 빠른/act 사람은 없었다.",
        ),
        ("참가자는 {number} 명/count 정도였다.", "출발선에는 {number} 명/count 남짓이 섰다."),
        "{who} {place} 마라톤/thing 우승/act … {number} 명/count 제쳐",
    ),
    (
        (
            "{who} {role}이 {day} {place} 철도/thing 사장 자리에서 내려왔다/act.",
            "{day} {place} 철도를/thing 이끌던 {who} {role}이 자리를 떠났다/act.",
        ),
        (
            "이 회사는 날마다/daily 승객/rider {number} 명/count 정도를 나른다.",
            "하루에/daily {number} 명/count 남짓이 이 열차를 탄다/rider.",
        ),
        "{who} {place} 철도/thing 사임/act … 하루/daily 승객/rider {number} 명/count",
    ),
    (
        (
            "{place} 경찰은/police {day} 그림을/thing 훔친/theft 혐의로 {who} {role}을 붙잡았다/act.",
            "{day} {who} {role}이 사라진/theft 그림/thing 때문에 {place} 경찰에/police 끌려갔다/act.",
        ),
        ("그림 값은 {number} 냥/count 정도이다.", "전문가들은 값을 {number} 냥/count 이상으로 본다."),
        "{who} {place} 경찰에/police 체포/act … {number} 냥/count 그림/thing 절도/theft",
    ),
    (
        (
            "{who} {role}이 설계한/design {place} 다리가/thing {day} 다/act 지어졌다.",
            "{day} {place} 다리/thing 공사가 {who} {role}의 설계대로/design 끝났다/act.",
        ),
        ("길이는/size {number} 자/count 정도이다.", "강둑에서 강둑까지 {number} 자/count 가까이 된다/size."),
        "{who} 설계/design {place} 다리/thing 완공/act … 길이/size {number} 자/count",
    ),
    (
        (
            "{who} {role}이 {day} {place} 근처에서/near 옛 동전/thing 더미를 찾았다/act.",
            "{day} {place} 근처에서/near {who} {role}이 우물을 파다가 동전/thing 항아리를 찾아냈다/act.",
        ),
        ("안에는 은화/metal {number} 닢/count 정도가 들어 있었다.", "은화가/metal 모두 {number} 닢/count 나왔다."),
        "{who} {place} 근처에서/near 은화/metal {number} 닢/count 발견/act",
    ),
]
ASIDES = [
    "이번 주 내내 날씨가 맑았다.",
    "주말에는 비가 올 것으로 보인다.",
    "정오가 되기 한참 전부터 사람들이 모였다.",
    "이웃 {other} 씨는 진작 그랬어야 한다고 말했다.",
    "이 마을은 {other} 작가가 이사 왔을 때 알려졌다.",
    "화면으로 지켜본 사람은 {figure} 명쯤 된다.",
    "근처 길은 {figure} 분 동안 막혔다가 다시 열렸다.",
    "아이들이 노래하고 악대가 연주했다.",
    "가게마다 손님이 {figure} 명쯤 늘었다고 했다.",
    "대변인 {other} 씨는 말을 아꼈다.",
    "의회는 다음 달에 다시 모인다.",
    "지역 신문의 {other} 기자는 놀랄 일이 아니라고 썼다.",
]
ROLES = ["시장", "선장", "의사", "교사", "제빵사", "기사", "농부", "화가", "판사", "교수", "선원", "감독"]
DAYS = ["월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"]
# A noun of {role} before 이, 을, 의 …: those that end in a vowel take another form.
PARTICLES = {"이": "가", "을": "를"}
