"""The mechanisms of the literature, as catalogue entries."""

from jumok.attention.catalog import Mechanism, add_mechanism

BAHDANAU = "Bahdanau, Cho, Bengio 2015 (arXiv:1409.0473)"
LUONG = "Luong, Pham, Manning 2015 (arXiv:1508.04025)"
VASWANI = "Vaswani et al. 2017 (arXiv:1706.03762)"
NADARAYA = "Nadaraya 1964; Watson 1964"
XU = "Xu et al. 2015 (arXiv:1502.03044)"

_ENTRIES = [
    # Every score alone: global scope, softmax.
    Mechanism(
        "dot",
        "dot",
        paper=LUONG,
        good_for="the cheapest score; equal sizes",
        good_for_ko="가장 싼 점수. 크기가 같아야 한다",
    ),
    Mechanism(
        "scaled_dot",
        "scaled_dot",
        paper=VASWANI,
        good_for="dot products of large vectors without saturation",
        good_for_ko="큰 벡터의 내적. softmax가 포화되지 않는다",
    ),
    Mechanism(
        "general",
        "general",
        paper=LUONG,
        good_for="unequal sizes; a learned similarity at the price of a dot",
        good_for_ko="크기가 달라도 되고, 유사도를 배운다",
    ),
    Mechanism(
        "additive",
        "additive",
        paper=BAHDANAU,
        good_for="small models; learns quickly",
        good_for_ko="작은 모델에서 빨리 배운다",
    ),
    Mechanism(
        "concat",
        "concat",
        paper=LUONG,
        good_for="additive with one matrix",
        good_for_ko="행렬 하나로 쓴 additive",
    ),
    Mechanism(
        "perceptron",
        "perceptron",
        paper=BAHDANAU,
        good_for="a deeper learned score (layers=n)",
        good_for_ko="더 깊은 신경망 점수 (layers=n)",
    ),
    Mechanism(
        "cosine",
        "cosine",
        paper="Graves, Wayne, Danihelka 2014 (arXiv:1410.5401)",
        good_for="content-based addressing, learned sharpness",
        good_for_ko="내용 기반 주소 지정. 날카로움을 배운다",
    ),
    Mechanism(
        "location",
        "location",
        paper=LUONG,
        good_for="monotonic tasks; shows what content adds",
        good_for_ko="순서가 같은 과제. 내용이 더하는 것을 보여 준다",
    ),
    Mechanism(
        "kernel",
        "kernel",
        paper=NADARAYA,
        good_for="smoothing with a chosen bandwidth",
        good_for_ko="대역폭을 정해 매끄럽게 한다",
    ),
    Mechanism(
        "uniform",
        "uniform",
        paper=NADARAYA,
        good_for="the baseline: a plain average",
        good_for_ko="기준선: 단순 평균",
    ),
    Mechanism(
        "coverage",
        "coverage",
        paper="See, Liu, Manning 2017 (arXiv:1704.04368)",
        good_for="fewer repetitions: remembers what it has read",
        good_for_ko="반복을 줄인다: 읽은 곳을 기억한다",
    ),
    # The papers' own names.
    Mechanism(
        "bahdanau",
        "additive",
        paper=BAHDANAU,
        good_for="RNN translation, attention before the step",
        good_for_ko="RNN 번역, 스텝 전에 주목",
    ),
    Mechanism(
        "luong-dot",
        "dot",
        paper=LUONG,
        good_for="RNN translation, attention after the step",
        good_for_ko="RNN 번역, 스텝 뒤에 주목",
    ),
    Mechanism(
        "luong-general",
        "general",
        paper=LUONG,
        good_for="Luong's best global score",
        good_for_ko="Luong의 가장 좋은 전역 점수",
    ),
    Mechanism(
        "luong-concat",
        "concat",
        paper=LUONG,
        good_for="comparing with additive",
        good_for_ko="additive와의 비교",
    ),
    Mechanism(
        "luong-location",
        "location",
        paper=LUONG,
        good_for="looking by position only",
        good_for_ko="위치만 보고 주목",
    ),
    Mechanism(
        "luong-local-m",
        "general",
        "local_m",
        paper=LUONG,
        good_for="long, nearly monotonic text; cost grows with D",
        good_for_ko="길고 순서가 비슷한 글. 비용은 D에 비례",
        options={"D": 10},
    ),
    Mechanism(
        "luong-local-p",
        "general",
        "local_p",
        paper=LUONG,
        good_for="long text; learns where to look",
        good_for_ko="긴 글. 볼 곳을 예측한다",
        options={"D": 10},
    ),
    Mechanism(
        "nadaraya-watson",
        "kernel",
        paper=NADARAYA,
        good_for="kernel regression: attention before its name",
        good_for_ko="커널 회귀: 이름이 생기기 전의 주목",
        options={"profile": "gaussian", "bandwidth": 1.0},
    ),
    Mechanism(
        "transformer",
        "scaled_dot",
        paper=VASWANI,
        good_for="multi-head self- and cross attention",
        good_for_ko="멀티헤드 셀프·교차 주목",
        options={"heads": 8},
    ),
    Mechanism(
        "hard",
        "additive",
        align="hard",
        paper=XU,
        good_for="one position a step; exact where, noisy to learn",
        good_for_ko="한 번에 한 곳. 분명하지만 배우기 어렵다",
    ),
    Mechanism(
        "sparsemax",
        "general",
        align="sparsemax",
        paper="Martins, Astudillo 2016 (arXiv:1602.02068)",
        good_for="exact zeros, readable alignments",
        good_for_ko="정확한 0, 읽기 쉬운 정렬",
    ),
    Mechanism(
        "entmax15",
        "general",
        align="entmax15",
        paper="Peters, Niculae, Martins 2019 (arXiv:1905.05702)",
        good_for="sparse, yet smooth enough to learn well",
        good_for_ko="희소하면서도 잘 배운다",
    ),
    Mechanism(
        "entmax",
        "general",
        align="entmax",
        paper="Correia, Niculae, Martins 2019 (arXiv:1909.00015)",
        good_for="learns how sparse to be",
        good_for_ko="얼마나 희소할지를 배운다",
    ),
    Mechanism(
        "causal",
        "scaled_dot",
        "causal",
        paper=VASWANI,
        good_for="decoder self-attention",
        good_for_ko="디코더 셀프 주목",
    ),
    Mechanism(
        "window",
        "scaled_dot",
        "window",
        paper="Beltagy, Peters, Cohan 2020 (arXiv:2004.05150)",
        good_for="self-attention over long sequences",
        good_for_ko="긴 열의 셀프 주목",
        options={"w": 10},
    ),
]

for _entry in _ENTRIES:
    add_mechanism(_entry)
