"""The Korean texts of explanations, with the same keys as `english.py`; the terms are those of `docs/terms.md`."""

KOREAN: dict[str, str] = {
    "title.worked": "어텐션 단계별 계산: 디코더 은닉 상태 하나가 인코더 은닉 상태 넷을 봅니다",
    "title.mechanism": "{name} 단계별 계산",
    "intro.worked": "디코더가 단어 하나를 쓰려는 순간입니다. 디코더 은닉 상태(쿼리)를 인코더 은닉 상태 "
    "각각과 비교하면, 지금 원문에서 무엇이 중요한지를 담은 벡터 하나가 나옵니다.",
    "intro.other": "점수는 키가 쿼리와 얼마나 맞는지를 나타냅니다. 점수를 정규화한 것이 어텐션 가중치이고, "
    "이 가중치로 밸류를 가중합한 것이 컨텍스트 벡터입니다.",
    "intro.nadaraya-watson": "이름이 붙기 전부터 아이디어는 있었습니다. 1964년 나다라야와 왓슨은 새로운 "
    "x에서의 y를, 가까이에서 관측한 y_i를 거리에 따라 가중 평균해 예측했습니다. 당시에는 아무도 이를 "
    "어텐션이라 부르지 않았습니다. 어텐션이라는 이름으로 번역에 쓰인 것은 2014년(Bahdanau, Cho, Bengio)이고, "
    "2017년은 순환 신경망 없이 어텐션으로 단어들을 연결하는 트랜스포머가 나온 해입니다.",
    "intro.bahdanau": "번역에 처음 쓰인 어텐션입니다(2014). 키는 양방향 인코더의 은닉 상태 "
    "h_i = [→h_i; ←h_i], 즉 i번째 단어의 정방향 은닉 상태와 역방향 은닉 상태를 이어 붙인 것입니다.",
    "intro.transformer": "작은 어텐션 여러 개를 병렬로 계산합니다. 헤드마다 쿼리, 키, 밸류를 따로 투영합니다.",
    "intro.coverage": "커버리지 cov_i는 위치 i를 지금까지 얼마나 보았는지 기억하며, 점수를 계산할 때 함께 쓰입니다. "
    "여기서는 같은 쿼리를 두 번 쓰므로, 두 번째 결과가 달라진다면 오직 이 기억 때문입니다.",
    "example.general": "이 예에서 q와 k_0의 내적은 {dot}입니다(W = I). W의 대각 성분만 쓰면 점수는 {diagonal}, "
    "교차항까지 더하면 "
    "{all}입니다.",
    "example.additive": "이 예에서 작은 신경망의 은닉 유닛은 u_{{i,0}}과 u_{{i,1}} 두 개입니다.",
    "example.concat": "이 예에서는 q = [1 3]과 k_0 = [2 -5]를 이어 붙여 [q; k_0] = [1 3 2 -5]를 만듭니다.",
    "example.perceptron.1": "이 예에서는 단층 퍼셉트론이 [q; k_0] = [1 3 2 -5]의 네 수에 각각 계수를 하나씩 곱해 "
    "더합니다.",
    "example.perceptron.2": "이 예에서는 다층 퍼셉트론이 [q; k_0] = [1 3 2 -5]를 읽습니다. tanh를 쓰는 은닉 유닛 두 "
    "개를 거쳐 합 "
    "하나를 구합니다.",
    "step": "{count}단계. {title}",
    "use": "활용 {count}. {title}",
    "measurement": "측정. {title}",
    "look.title": "쿼리 {number}: {query}, 위치 {t}",
    "seeded": "시드 {seed}, 소수 둘째 자리까지 반올림",
    "head.score": "점수",
    "head.scope": "범위",
    "head.align": "정규화",
    "head.paper": "논문",
    "head.seeded": "파라미터",
    "head.query": "쿼리 q",
    "head.keys": "키 k",
    "head.values": "밸류 v",
    "head.mask": "마스크",
    "project.title": "헤드마다 투영하기",
    "project.text": "헤드는 {heads}개이고, 각 헤드의 벡터는 {size}차원입니다. 투영 행렬이 헤드마다 달라 "
    "서로 다른 관계를 볼 수 있습니다.",
    "score.title": "모든 키의 점수 구하기",
    "score.title.scoped": "범위 안에 있는 키의 점수 구하기",
    "score.hidden": "볼 수 없는 위치의 점수는 −inf로 두므로 어텐션 가중치가 정확히 0이 됩니다.",
    "score.dot": "키 {n}개 각각에 대해 쿼리와의 내적인 스칼라를 하나씩 구합니다. 키가 쿼리와 같은 "
    "방향을 가리킬수록, 또 키의 노름이 클수록 점수가 큽니다.",
    "score.scaled_dot": "내적을 √d_k(여기서는 √{d})로 나눕니다. 나누지 않으면 차원이 커질수록 점수의 편차도 커져 "
    "softmax가 "
    "포화됩니다(`jumok explain generalise` 참고).",
    "score.general": "행렬 W가 있어 쿼리의 모든 차원이 키의 모든 차원과 곱해집니다: W_ab q_a k_b. a = b인 항은 "
    "내적의 항에 각각 "
    "계수를 곱한 것이고, a ≠ b인 항은 내적에는 없는, 서로 다른 차원 사이의 교차항입니다. W = I이면 내적과 같습니다. "
    "W는 학습합니다.",
    "score.additive": "쿼리와 키를 같은 공간으로 투영해 더하고 tanh를 적용한 뒤, v_a와의 내적으로 스칼라 하나를 "
    "얻습니다. 모델과 함께 학습되는 작은 신경망이며, 쿼리와 키의 차원이 달라도 됩니다.",
    "score.concat": "쿼리와 키를 이어 붙여 W를 곱합니다. W = [W_q W_k]이면 W [q; k_i] = W_q q + W_k k_i이므로, "
    "두 행렬을 하나로 합친 additive 점수입니다.",
    "score.perceptron": "퍼셉트론이 쿼리와 키를 함께 입력받아 층을 차례로 거쳐 스칼라 하나를 출력합니다.",
    "score.perceptron.one": "층이 하나뿐이면 쿼리는 모든 점수에 같은 값을 더할 뿐이고, 이 값은 softmax에서 "
    "상쇄됩니다. 즉 어텐션 가중치가 쿼리와 무관해집니다. layers=2 이상을 쓰세요.",
    "score.cosine": "벡터의 노름은 보지 않고 방향만 봅니다. β가 클수록 분포가 뾰족해집니다. 내용 기반 주소 "
    "지정에 쓰입니다.",
    "score.location": "키는 전혀 읽지 않고 쿼리만으로 각 위치의 점수를 정합니다. 학습한 길이를 벗어난 위치에는 "
    "점수를 줄 수 없습니다.",
    "score.kernel": "키가 쿼리에 가까울수록 점수가 높습니다. 점수는 대역폭이 h인 커널 K의 로그이므로, softmax의 "
    "지수 함수를 거치면 다시 K가 됩니다.",
    "score.uniform": "모든 키의 점수가 같으므로 어텐션 가중치는 모두 1/n입니다. 단순 평균이며, 다른 방법이 "
    "넘어야 할 기준선입니다.",
    "score.coverage": "additive 점수의 tanh 안에 w_c cov_i를 더합니다. cov_i는 위치 i가 지금까지 받은 어텐션 "
    "가중치의 합입니다.",
    "score.other": "키 {n}개 각각에 대해 스칼라를 하나씩 구합니다.",
    "order.before": "쿼리는 이전 시점의 은닉 상태 sₜ₋₁입니다. 어텐션을 먼저 계산하고, 그 결과로 RNN 셀을 한 시점 "
    "진행합니다. Luong의 어텐션은 진행한 뒤의 sₜ를 쿼리로 씁니다.",
    "order.after": "쿼리는 RNN 셀을 한 시점 진행한 뒤의 은닉 상태 sₜ입니다. Bahdanau의 어텐션은 진행하기 전의 "
    "sₜ₋₁을 쿼리로 씁니다.",
    "scope.title": "범위 안의 키 고르기",
    "scope.causal": "쿼리는 위치 {t}에 있고(0부터 셉니다) 그 뒤는 보지 못합니다. 키 {n}개 중 {seen}개를 봅니다.",
    "scope.window": "쿼리는 위치 {t}에 있고(0부터 셉니다) 거리가 w 이내인 키만 봅니다. 키 {n}개 중 {seen}개를 봅니다.",
    "scope.local_m": "단조(monotonic) 방식입니다. 쿼리 자신의 위치(t = {t}, 0부터 셉니다)에서 양쪽으로 D칸까지, 키 "
    "{n}개 "
    "중 {seen}개를 봅니다. 윈도 밖은 아예 계산하지 않으므로 비용은 n이 아니라 D에 비례합니다.",
    "scope.local_p": "예측(predictive) 방식입니다. 윈도의 중심 p_t = n · sigmoid(v_pᵀ tanh(W_p q))를 쿼리로 예측하며, "
    "p_t는 0과 n = {n} 사이에 있습니다. 윈도는 중심에서 양쪽으로 D까지이고, 키 {n}개 중 {seen}개가 들어옵니다. σ = "
    "D/2는 "
    "아래에서 어텐션 가중치에 곱할 가우시안의 폭입니다.",
    "scope.other": "키 {n}개 중 {seen}개를 봅니다.",
    "align.title": "점수를 어텐션 가중치로 바꾸기",
    "align.softmax": "모든 어텐션 가중치는 0과 1 사이의 실수이고 합은 1입니다. 이것이 어텐션 분포입니다. softmax의 "
    "핵심은 지수 함수입니다. 지수 함수 없이 e_i / Σ e_j만 구하면, 음수 점수가 있을 때 확률이 되지 않습니다. "
    "가장 큰 점수를 모든 점수에서 빼도 결과는 같으며, exp의 오버플로를 막습니다.",
    "align.sparsemax": "점수를 확률 심플렉스에 투영한 점입니다. 임곗값 τ 이하의 점수는 정확히 0이 되고, 나머지는 "
    "e_i − τ가 됩니다.",
    "align.entmax15": "softmax와 sparsemax의 중간입니다. 임곗값보다 크면 [e_i/2 − τ]², 작으면 정확히 0입니다.",
    "align.entmax": "γ는 α-entmax의 α입니다(여기서는 α_i가 어텐션 가중치이므로 γ로 적습니다). γ가 어텐션 가중치를 "
    "얼마나 "
    "희소하게 만들지 정합니다. 1이면 softmax, 2이면 sparsemax이고, γ를 학습할 수도 있습니다.",
    "align.hard": "정확히 한 위치의 어텐션 가중치가 1이 됩니다. 학습할 때는 p = softmax(e)에서 샘플링하고, "
    "디코딩할 때는 확률이 가장 높은 위치를 고릅니다. 샘플링은 미분할 수 없으므로 log p로 그래디언트를 "
    "추정합니다(REINFORCE).",
    "align.unnormalised": "커널을 n으로 나눕니다. 가까운 데이터일수록 가중치가 크지만, 합이 1이라는 보장은 없습니다.",
    "align.other": "이 정규화 함수로 구한 어텐션 가중치입니다.",
    "align.nothing": "볼 수 있는 위치가 없습니다. 어텐션 가중치도 컨텍스트 벡터도 모두 0입니다.",
    "hard.draw": "이번에 샘플링된 위치는 {place}, log p = {log_prob}입니다.",
    "hard.best": "가장 좋은 위치는 {place}, log p = {log_prob}입니다.",
    "gaussian.title": "중심에 가우시안 가중치 곱하기",
    "gaussian.text": "논문대로 가우시안을 softmax 뒤에 곱하므로 합이 1보다 작습니다. renormalise=true로 두면 합이 "
    "1이 됩니다. 그래디언트는 이 가우시안을 거쳐 p_t로 전달됩니다.",
    "gaussian.renormalised": "가우시안을 softmax 뒤에 곱한 다음, renormalise=true이므로 합으로 나누어 합이 다시 1이 "
    "되게 "
    "합니다. 그래디언트는 이 가우시안을 거쳐 p_t로 전달됩니다.",
    "alignment.title": "각 밸류에 어텐션 가중치 곱하기",
    "alignment.text": "내적이 아니라 밸류 전체에 스칼라를 곱하는 것입니다. 이것이 정렬 벡터(alignment vector)이며, "
    "어텐션 가중치가 0에 가까운 밸류는 거의 사라집니다. (Bahdanau 논문의 annotation은 인코더 은닉 상태 h_i 자체를 "
    "가리킵니다.)",
    "context.title": "정렬 벡터 더하기",
    "context.text": "밸류의 가중합, 즉 컨텍스트 벡터입니다. 길이는 언제나 밸류의 차원({size})으로 일정합니다. 달라지는 "
    "것은 길이가 아니라 개수로, 디코더의 시점마다 하나씩 생깁니다.",
    "context.kernel": "관측값의 가중 평균이며, 대부분 가까운 데이터에서 옵니다.",
    "context.heads": "헤드마다 구한 가중합을 이어 붙이고 W_o를 곱합니다. {size}차원 벡터 하나가 됩니다.",
    "decoder.other.title": "컨텍스트 벡터를 디코더에 전달하기",
    "decoder.heads.title": "결과를 다음 층에 전달하기",
    "decoder.kernel.title": "추정값 읽기",
    "decoder.other": "디코더는 이 벡터와 자신의 은닉 상태를 함께 써서 다음 단어를 예측합니다.",
    "decoder.bahdanau": "디코더는 이 벡터와 이전 은닉 상태, 직전 단어로 다음 은닉 상태를 만듭니다.",
    "decoder.luong": "이 벡터를 한 시점 진행한 뒤의 은닉 상태 s_t와 합쳐 s̃_t를 만들고, 거기서 단어를 예측합니다.",
    "decoder.heads": "이 벡터를 층의 입력에 더해 다음 층으로 넘깁니다.",
    "decoder.kernel": "컨텍스트 벡터가 그대로 추정값입니다.",
    "words.title": "단어 고르기",
    "words.generated": "출력 벡터를 어휘의 모든 단어와 비교하고, softmax로 확률을 구합니다.",
    "words.copied": "p_gen의 확률로 단어를 생성하고, 아니면 원문에서 복사합니다. p_vocab은 어휘에 대한 softmax이고, "
    "복사할 확률은 그 단어가 있는 원문 위치의 어텐션 가중치 α를 더한 값입니다. "
    "아래 식은 가장 가능성이 높은 단어의 계산입니다.",
    "recap.title": "한눈에 보기 (반올림)",
    "recap.key": "키",
    "recap.score": "점수",
    "recap.weight": "어텐션 가중치",
    "recap.alignment": "정렬 벡터",
    "recap.some": "어텐션 가중치 {n}개 중 큰 {shown}개만 표시(위치 순)",
    "mean.title": "단순 평균에서 출발하기",
    "mean.text": "x가 무엇이든 밸류 {n}개의 평균으로 예측합니다. 모든 점수가 같은 softmax와 같습니다.",
    "unnormalised.title": "가까울수록 큰 가중치 주기 (정규화 전)",
    "unnormalised.text": "가까운 데이터가 더 중요해졌지만 가중치 α(x, x_i)/n의 합이 1이 아니라 {share}이므로 추정값이 "
    "0 쪽으로 치우칩니다. n 대신 Σ α(x, x_i)로 나누면 나다라야–왓슨 추정량이 되는데, softmax가 바로 이 정규화를 "
    "합니다.",
    "generalise.title": "어텐션의 일반화: 네 단계, 세 가지 활용, 한 가지 측정",
    "generalise.intro": "디코더 한 시점의 어텐션에서 출발해 어디에나 쓸 수 있는 층까지 갑니다. 단계마다 하나씩만 "
    "바꾸고, 무엇이 그대로인지 숫자로 확인합니다.",
    "generalise.seeded": "시드 {seed}: 4차원 입력 다섯 개와 쿼리 세 개",
    "generalise.agree": "({what}: 최대 차이 {gap})",
    "generalise.one.title": "쿼리 하나, 유사도 f_att",
    "generalise.one.text": "q는 디코더 은닉 상태, X는 인코더 은닉 상태입니다. 여기서 f_att는 학습되는 신경망입니다.",
    "generalise.scaled.title": "f_att를 스케일드 내적으로 바꾸기",
    "generalise.scaled.text": "학습할 파라미터가 없고 계산이 훨씬 가볍지만 성능은 비슷합니다. 왜 나누는지는 아래에서 "
    "측정합니다.",
    "generalise.many.title": "여러 쿼리를 행렬 곱 한 번으로",
    "generalise.many.text": "디코더의 시점마다 하나씩이 아니라 모든 쿼리를 한꺼번에 계산합니다. softmax는 행마다 "
    "적용합니다.",
    "generalise.apart.title": "키와 밸류 나누기",
    "generalise.apart.text": "X는 비교할 때와 더할 때, 두 번 쓰였습니다. 행렬을 각각 두면 무엇을 찾고(키) 무엇을 "
    "가져올지(밸류) 따로 학습합니다. V의 차원이 달라도 됩니다.",
    "generalise.self.title": "셀프 어텐션",
    "generalise.self.text": "쿼리, 키, 밸류가 모두 같은 은닉 상태에서 나오지만, 각각 다른 투영을 거칩니다.",
    "generalise.cross.title": "인코더–디코더 어텐션",
    "generalise.cross.text": "쿼리는 디코더 은닉 상태 S에서, 키와 밸류는 인코더 은닉 상태 H에서 나옵니다.",
    "generalise.heads.title": "멀티헤드 어텐션",
    "generalise.heads.text": "작은 어텐션 여러 개를 병렬로 계산해 합칩니다. 헤드마다 다른 곳을 볼 수 있습니다.",
    "agree.sum": "y와 손으로 더한 합",
    "agree.scaled": "e와 하나씩 구한 내적",
    "agree.rows": "Y와 쿼리를 하나씩 계산한 결과",
    "agree.identity": "W_k = W_v = I일 때의 Y와 3단계의 Y",
    "agree.projections": "Y와 투영한 벡터의 scaled_dot",
    "agree.cross": "Y와 투영한 벡터의 scaled_dot",
    "agree.heads": "Y와 작은 scaled_dot 두 개를 합친 결과",
    "scale.title": "왜 내적을 나누는가",
    "scale.text": "정규 분포 벡터, 키 16개, 256번 샘플링한 중앙값입니다. d = {first}에서 d = {last}까지 커지는 동안, "
    "나누지 않은 softmax의 그래디언트는 {loss}분의 1로 줄고 가장 큰 어텐션 가중치 하나가 {peak}에 이릅니다. "
    "√d로 나누면 가장 큰 어텐션 가중치는 {scaled}에 머물고 그래디언트도 그대로입니다.",
    "scale.size": "d",
    "scale.spread": "qᵀk의 표준편차",
    "scale.peak": "가장 큰 어텐션 가중치, 나누지 않음",
    "scale.peak.scaled": "가장 큰 어텐션 가중치, 나눔",
    "scale.gradient": "‖∂a/∂e‖, 나누지 않음",
    "scale.gradient.scaled": "‖∂a/∂e‖, 나눔",
    "plot.data": "데이터",
    "plot.mean": "단순 평균",
    "plot.unnormalised": "정규화 전 (1/n) Σ α y",
    "plot.normalised": "정규화 후 (나다라야–왓슨)",
    "plot.regression": "커널 회귀: {profile} 커널, h = {h}",
    "plot.weights": "어텐션 가중치",
    "plot.weight": "어텐션 가중치",
    "plot.at": "예측 지점 x",
    "plot.datum": "데이터 번호 i (x_i 순서)",
    "plot.position": "원문 위치 i",
    "plot.query": "쿼리",
    "plot.head": "헤드",
    "plot.size": "벡터의 차원 d",
    "plot.peak": "가장 큰 어텐션 가중치",
    "plot.gradient": "softmax의 그래디언트",
    "plot.unscaled": "qᵀk",
    "plot.scaled": "qᵀk / √d",
    "table.name": "이름",
    "table.score": "점수",
    "table.scope": "범위",
    "table.align": "정규화",
    "table.paper": "논문",
    "table.good_for": "용도",
}
