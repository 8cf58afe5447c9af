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
        good_for_ko="계산이 가장 가벼운 점수. 쿼리와 키의 크기가 같아야 함",
    ),
    Mechanism(
        "scaled_dot",
        "scaled_dot",
        paper=VASWANI,
        good_for="dot products of large vectors without saturation",
        good_for_ko="큰 벡터의 내적. softmax가 포화되지 않음",
    ),
    Mechanism(
        "general",
        "general",
        paper=LUONG,
        good_for="unequal sizes; a learned similarity at the cost of a dot product",
        good_for_ko="크기가 달라도 되며, 유사도를 학습",
    ),
    Mechanism(
        "additive",
        "additive",
        paper=BAHDANAU,
        good_for="small models; learns quickly",
        good_for_ko="작은 모델. 학습이 빠름",
    ),
    Mechanism(
        "concat",
        "concat",
        paper=LUONG,
        good_for="additive with one matrix",
        good_for_ko="행렬을 하나로 합친 additive",
    ),
    Mechanism(
        "perceptron",
        "perceptron",
        paper=BAHDANAU,
        good_for="a deeper learned score (layers=n)",
        good_for_ko="더 깊은 신경망으로 계산하는 점수 (layers=n)",
    ),
    Mechanism(
        "cosine",
        "cosine",
        paper="Graves, Wayne, Danihelka 2014 (arXiv:1410.5401)",
        good_for="content-based addressing, learned sharpness",
        good_for_ko="내용 기반 주소 지정. 분포의 뾰족한 정도를 학습",
    ),
    Mechanism(
        "location",
        "location",
        paper=LUONG,
        good_for="monotonic tasks; shows what content adds",
        good_for_ko="어순이 같은 과제. 내용을 볼 때와의 차이를 보여 줌",
    ),
    Mechanism(
        "kernel",
        "kernel",
        paper=NADARAYA,
        good_for="smoothing with a chosen bandwidth",
        good_for_ko="대역폭을 정해 평활화",
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
        good_for="fewer repetitions: remembers where it has looked",
        good_for_ko="반복을 줄임. 이미 본 곳을 기억",
    ),
    # The papers' own names.
    Mechanism(
        "bahdanau",
        "additive",
        paper=BAHDANAU,
        good_for="RNN translation, attention before the step",
        good_for_ko="RNN 번역. 은닉 상태를 갱신하기 전에 어텐션 계산",
    ),
    Mechanism(
        "luong-dot",
        "dot",
        paper=LUONG,
        good_for="RNN translation, attention after the step",
        good_for_ko="RNN 번역. 은닉 상태를 갱신한 뒤에 어텐션 계산",
    ),
    Mechanism(
        "luong-general",
        "general",
        paper=LUONG,
        good_for="Luong's best global score",
        good_for_ko="Luong 논문에서 가장 좋은 글로벌 점수",
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
        good_for_ko="위치만 보는 어텐션",
    ),
    Mechanism(
        "luong-local-m",
        "general",
        "local_m",
        paper=LUONG,
        good_for="long, nearly monotonic text; cost grows with D",
        good_for_ko="길고 어순이 비슷한 글. 비용은 D에 비례",
        options={"D": 10},
    ),
    Mechanism(
        "luong-local-p",
        "general",
        "local_p",
        paper=LUONG,
        good_for="long text; learns where to look",
        good_for_ko="긴 글. 볼 위치를 예측",
        options={"D": 10},
    ),
    Mechanism(
        "nadaraya-watson",
        "kernel",
        paper=NADARAYA,
        good_for="kernel regression: attention before it had the name",
        good_for_ko="커널 회귀. 이름이 붙기 전의 어텐션",
        options={"profile": "gaussian", "bandwidth": 1.0},
    ),
    Mechanism(
        "transformer",
        "scaled_dot",
        paper=VASWANI,
        good_for="multi-head self- and cross attention",
        good_for_ko="멀티헤드 셀프 어텐션과 크로스 어텐션",
        options={"heads": 8},
    ),
    Mechanism(
        "hard",
        "additive",
        normalise="hard",
        paper=XU,
        good_for="one position per step; unambiguous, but hard to train",
        good_for_ko="시점마다 한 위치. 어디를 보는지 분명하지만 학습이 어려움",
    ),
    Mechanism(
        "sparsemax",
        "general",
        normalise="sparsemax",
        paper="Martins, Astudillo 2016 (arXiv:1602.02068)",
        good_for="exact zeros, readable alignments",
        good_for_ko="정확한 0, 읽기 쉬운 정렬",
    ),
    Mechanism(
        "entmax15",
        "general",
        normalise="entmax15",
        paper="Peters, Niculae, Martins 2019 (arXiv:1905.05702)",
        good_for="sparse, yet smooth enough to learn well",
        good_for_ko="희소하면서도 학습이 잘됨",
    ),
    Mechanism(
        "entmax",
        "general",
        normalise="entmax",
        paper="Correia, Niculae, Martins 2019 (arXiv:1909.00015)",
        good_for="learns how sparse to be",
        good_for_ko="얼마나 희소할지를 학습",
    ),
    Mechanism(
        "causal",
        "scaled_dot",
        "causal",
        paper=VASWANI,
        good_for="decoder self-attention",
        good_for_ko="디코더 셀프 어텐션",
    ),
    Mechanism(
        "window",
        "scaled_dot",
        "window",
        paper="Beltagy, Peters, Cohan 2020 (arXiv:2004.05150)",
        good_for="self-attention over long sequences",
        good_for_ko="긴 시퀀스의 셀프 어텐션",
        options={"w": 10},
    ),
]

for _entry in _ENTRIES:
    add_mechanism(_entry)
