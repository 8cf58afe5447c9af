# ruff: noqa: E501  (one sentence and its translation per line)
"""What a command line can be refused for, in Korean: sentences by their English form, with what varies in braces.

After a blank a particle is written in both forms, `{path}은(는)`; the person reads the one that fits.

Every error of `jumok explain` and `jumok mechanisms`, of opening run folders, configs and text files is here, which a
test checks against their source, and those of reading the command line itself; the modules named `korean_…_errors`
have those of one subject each. An error that is in none of them is printed in English.
"""

import re
from functools import cache

from jumok.cli.korean_model_errors import MODEL_ERRORS
from jumok.cli.korean_training_errors import TRAINING_ERRORS
from jumok.text.korean import fit_particles

_ERRORS: dict[str, str] = {
    # reading the command line
    "No such option: {name}": "없는 옵션입니다: {name}",
    "No such option: {name} (Possible options: {others})": "없는 옵션입니다: {name} (비슷한 옵션: {others})",
    "No such option: {name} Did you mean {others}?": "없는 옵션입니다: {name} (비슷한 옵션: {others})",
    "No such command '{name}'.": "없는 명령입니다: '{name}'",
    "No such command '{name}'. Did you mean {others}?": "없는 명령입니다: '{name}' (비슷한 명령: {others})",
    "Missing argument '{name}'.": "인수가 빠졌습니다: '{name}'",
    "Missing option '{name}'.": "옵션이 빠졌습니다: '{name}'",
    "Missing command.": "명령이 빠졌습니다.",
    "Option '{name}' requires an argument.": "옵션에 값이 필요합니다: '{name}'",
    "Got unexpected extra argument ({names})": "남는 인수가 있습니다: {names}",
    "Got unexpected extra arguments ({names})": "남는 인수가 있습니다: {names}",
    "Invalid value for '{name}': {reason}": "'{name}'에 쓸 수 없는 값입니다: {reason}",
    "Input should be a valid integer, unable to parse string as an integer": "정수여야 합니다.",
    "Input should be a valid number, unable to parse string as a number": "수여야 합니다.",
    "Input should be greater than or equal to {least}": "{least} 이상이어야 합니다.",
    "Input should be less than or equal to {most}": "{most} 이하여야 합니다.",
    "'{value}' is not a valid integer.": "정수여야 하는데 '{value}'입니다.",
    "'{value}' is not a valid float.": "수여야 하는데 '{value}'입니다.",
    "{value} is not in the range {range}.": "{range} 범위여야 하는데 {value}입니다.",
    " (did you mean '{name}'?)": " (혹시 '{name}'?)",
    # files, run folders and configs
    "There is no file {path}.": "파일이 없습니다: {path}",
    "{path} does not exist; check the name and the folder.": "파일이 없습니다: {path}. 이름과 폴더를 확인하세요.",
    "{path} is a folder; name a file.": "폴더입니다: {path}. 파일 이름을 쓰세요.",
    "{path} is not a regular file; it is read more than once, so save it to a file first.": "일반 파일이 아닙니다: {path}. 여러 번 읽어야 하므로 먼저 파일로 저장하세요.",
    "{path} has {lines} lines, but {other} has {others}; they must match line by line.": "두 파일의 줄 수가 같아야 하는데 {path}은(는) {lines}줄, {other}은(는) {others}줄입니다.",
    "{path} is damaged or incomplete ({reason}); download it again.": "손상되었거나 덜 받은 파일입니다: {path} ({reason}). 다시 받으세요.",
    "{path} cannot be read: {reason}.": "읽을 수 없습니다: {path} ({reason})",
    "{path} is UTF-16; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8).": "UTF-16 파일입니다: {path}. UTF-8로 바꾸세요(iconv -f UTF-16 -t UTF-8).",
    "{folder} cannot be made: {reason}.": "폴더를 만들 수 없습니다: {folder} ({reason})",
    "{folder} cannot be made: {reason}; name another folder with --out.": "폴더를 만들 수 없습니다: {folder} ({reason}). --out으로 다른 폴더를 지정하세요.",
    "{path} is a file, not a run folder; name the folder of a trained model.": "{path}은(는) 실행 폴더가 아니라 파일입니다. 학습한 모델의 폴더를 지정하세요.",
    "There is no run folder {folder}; train one with `jumok train --out {again}`.": "실행 폴더가 없습니다: {folder}. `jumok train --out {again}`(으)로 먼저 학습하세요.",
    "{folder} is not a run folder: it has no {file}.": "실행 폴더가 아닙니다: {folder}. 폴더 안에 {file} 파일이 없습니다.",
    "{path} has no format number; it was not written by `jumok train`.": "`jumok train`이 쓴 파일이 아닙니다: {path}. 형식 번호가 없습니다.",
    "{folder} has format {found}, this version of Jumok reads up to {most}; update Jumok to use it.": "이 Jumok은 형식 {most}까지 읽는데 {folder}의 형식은 {found}입니다. Jumok을 업데이트하세요.",
    "{path} is damaged: it holds no keys.": "손상된 파일입니다: {path} (키가 없습니다)",
    "{path} is damaged: {reason}": "손상된 파일입니다: {path} ({reason})",
    "The run {folder} cannot be used: {reason}": "이 실행 폴더는 쓸 수 없습니다: {folder} ({reason})",
    "The {side} tokenizer in {folder} does not belong to its model; copy the complete run folder.": "토크나이저({side})가 모델과 맞지 않습니다: {folder}. 실행 폴더 전체를 복사하세요.",
    "'{text}' is not an override; write key.sub=value, such as train.max_steps=100.": "설정값이 아닙니다: '{text}'. train.max_steps=100처럼 key.sub=value로 쓰세요.",
    "There is no config file {path}.": "설정 파일이 없습니다: {path}",
    "{path} is a folder, not a config file; to resume a run use --resume {again}.": "설정 파일이 아니라 폴더입니다: {path}. 학습을 이어서 하려면 --resume {again}을(를) 쓰세요.",
    "{path} is not readable YAML: {reason}.": "YAML로 읽을 수 없습니다: {path} ({reason})",
    "{path} must hold keys and values, not a {found}.": "`키: 값` 형식이어야 합니다: {path} ({found}입니다)",
    "The value of {key}={text} cannot be read; quote it.": "값을 읽을 수 없습니다: {key}={text}. 따옴표로 묶으세요.",
    "Unknown config key '{key}'{hint}.": "없는 설정 키입니다: '{key}'{hint}",
    "Unknown config key '{key}'{hint}; `jumok config schema` lists all.": "없는 설정 키입니다: '{key}'{hint}. 모든 키는 `jumok config schema`로 볼 수 있습니다.",
    "Config key '{key}' belongs to task={other}, and the task is {task}; leave it out.": "설정 키 '{key}'은(는) task={other}의 키인데 지금 과제는 {task}입니다. 빼고 실행하세요.",
    "Config key '{key}' must hold keys and values, not {found}.": "설정 키 '{key}'은(는) `키: 값` 형식이어야 하는데 {found}입니다.",
    "Config key '{key}' cannot be {value}: {reason}.": "설정 키 '{key}'에 쓸 수 없는 값입니다({value}): {reason}",
    "input should be a valid integer, unable to parse string as an integer": "정수여야 합니다.",
    "input should be a valid number, unable to parse string as a number": "수여야 합니다.",
    "input should be a valid boolean, unable to interpret input": "true나 false여야 합니다.",
    "input should be greater than or equal to {least}": "{least} 이상이어야 합니다.",
    "input should be greater than {least}": "{least}보다 커야 합니다.",
    "input should be less than or equal to {most}": "{most} 이하여야 합니다.",
    "input should be less than {most}": "{most}보다 작아야 합니다.",
    # names
    "Unknown attention mechanism '{name}'{hint}; `jumok mechanisms` lists them.": "알 수 없는 어텐션 메커니즘입니다: '{name}'{hint}. 목록은 `jumok mechanisms`로 볼 수 있습니다.",
    "Unknown language '{name}'{hint}; one of {known}.": "알 수 없는 언어입니다: '{name}'{hint}. {known} 중에서 고르세요.",
    "Unknown {kind} '{name}'{hint}; one of {known}.": "알 수 없는 이름입니다({kind}): '{name}'{hint}. {known} 중에서 고르세요.",
    "Unknown kernel profile '{name}'{hint}; one of {known}.": "알 수 없는 커널입니다: '{name}'{hint}. {known} 중에서 고르세요.",
    "Unknown estimator '{name}'{hint}; one of {known}.": "알 수 없는 추정 방법입니다: '{name}'{hint}. {known} 중에서 고르세요.",
    "a run of task={task} takes no option '{name}'{hint}; leave it out.": "task={task}의 모델에는 없는 옵션입니다: '{name}'{hint}. 빼세요.",
    "Mechanism '{name}' has no option '{key}'{hint}; it takes {known}.": "메커니즘 '{name}'에 없는 옵션입니다: '{key}'{hint}. 쓸 수 있는 옵션: {known}",
    "This mechanism has no parameter '{name}'{hint}; its parameters: {names}.": "이 메커니즘에 없는 파라미터입니다: '{name}'{hint}. 파라미터: {names}",
    "The parameter '{name}' could be {names}; give its full name.": "파라미터 '{name}'은(는) {names} 중 하나일 수 있습니다. 전체 이름을 쓰세요.",
    # vectors
    "The rows of {what} must be of one size, got rows of {sizes} numbers.": "{what}의 행은 크기가 모두 같아야 하는데, 행마다 수가 {sizes}개입니다.",
    "The rows of --mask must be of one size.": "--mask의 행은 크기가 모두 같아야 합니다.",
    "{what} has an empty row in '{text}'; write numbers as 1,3 and rows as 1,3; 2,5.": "{what}에 빈 행이 있습니다: '{text}'. 수는 1,3처럼, 행은 1,3; 2,5처럼 쓰세요.",
    "{what} must be a list of numbers or a list of such lists, got {text}.": "{what}은(는) 수의 목록이거나 그런 목록의 목록이어야 합니다: {text}",
    "{what} must hold finite numbers, got '{cell}'.": "{what}에는 유한한 수만 쓸 수 있습니다: '{cell}'",
    "--mask has '{cell}' where 1 (may be attended) or 0 must stand.": "--mask에는 1(볼 수 있음)이나 0만 쓸 수 있습니다: '{cell}'",
    "{what} starts like a JSON list but is none: {message} at character {place}.": "{what}이(가) JSON 목록처럼 시작하지만 JSON이 아닙니다: {place}번째 글자에서 {message}",
    "{what} has '{cell}' where a number must stand; write numbers as 1,3 and rows as 1,3; 2,5.": "{what}에 수가 아닌 것이 있습니다: '{cell}'. 수는 1,3처럼, 행은 1,3; 2,5처럼 쓰세요.",
    "--values must have one row for each of the {keys} keys, got {rows} rows.": "--values에는 키 {keys}개 각각에 대해 행이 하나씩 있어야 하는데 {rows}행입니다.",
    "An explanation takes at most {most} numbers per matrix; give fewer or shorter vectors.": "행렬마다 수를 {most}개까지만 쓸 수 있습니다. 벡터를 줄이거나 짧게 하세요.",
    "--values must hold finite numbers.": "--values에는 유한한 수만 쓸 수 있습니다.",
    "--position counts from 0, got {place}.": "--position은 0부터 셉니다: {place}",
    "{there} was given without {missing}; give both, or neither to use an example.": "{there}만 있고 {missing}이(가) 없습니다. 둘 다 주거나, 예제를 쓰려면 둘 다 빼세요.",
    "--mask must have one number for each of the {keys} keys (and one row, or one for each of the {queries} queries), got {rows} × {columns}.": "--mask에는 키 {keys}개 각각에 대해 수가 하나씩 있어야 합니다(행은 하나 또는 쿼리마다 하나, 쿼리 {queries}개). 받은 크기는 {rows} × {columns}입니다.",
    "Parameter {name} must be {shape}, got {size}; other sizes follow from the vectors and from options such as attention_dim.": "파라미터 {name}의 크기는 {shape}이어야 하는데 {size}입니다. 크기는 벡터와 attention_dim 같은 옵션으로 정해집니다.",
    "The scores are too large for double precision; give smaller vectors or parameters.": "점수가 배정밀도로 나타내기에 너무 큽니다. 벡터나 파라미터를 줄이세요.",
    "Score '{name}' needs queries and keys of equal size, got query_dim={query} and key_dim={key}; make them equal or use 'general' or 'additive'.": "점수 '{name}'에서는 쿼리와 키의 크기가 같아야 하는데 쿼리는 {query}, 키는 {key}입니다. 크기를 맞추거나 'general' 또는 'additive'를 쓰세요.",
    "`jumok explain generalise` takes no vectors, and only the options --seed, --plot, --lang and --json.": "`jumok explain 일반화`에는 벡터를 줄 수 없고, 옵션은 --seed, --plot, --lang, --json만 쓸 수 있습니다.",
    "Vectors and options need a mechanism: `jumok explain NAME …`; `jumok mechanisms` lists them.": "벡터와 옵션을 주려면 메커니즘이 필요합니다: `jumok explain 이름 …`. 목록은 `jumok mechanisms`로 볼 수 있습니다.",
    "The score '{name}' cannot be written out; one of {known}.": "점수 '{name}'은(는) 풀어 쓸 수 없습니다. {known} 중에서 고르세요.",
    # options
    "An option of '{name}' has a value that cannot be used: {reason}.": "'{name}'의 옵션 값을 쓸 수 없습니다: {reason}.",
    "--option {key} takes a number, a word, true or false, got '{text}'.": "--option {key}에는 수, 단어, true, false만 쓸 수 있습니다: '{text}'",
    "{flag} takes NAME=VALUE, got '{text}'.": "{flag}은(는) 이름=값 형식으로 씁니다: '{text}'",
    "heads must be a whole number of at least 1, got {value}.": "heads는 1 이상의 정수여야 합니다: {value}",
    "the option {key} must be finite, not {value}.": "옵션 {key}은(는) 유한한 수여야 합니다: {value}",
    "the option {key} must be {wanted}, not {value}.": "옵션 {key}의 형식이 맞지 않습니다: {value} (필요한 형식: {wanted})",
    "Mechanism '{name}' cannot be built with {options}: {reason}.": "메커니즘 '{name}'을(를) 만들 수 없습니다({options}): {reason}.",
    "A perceptron score needs layers ≥ 1, got {value}.": "perceptron 점수에는 layers ≥ 1이 필요합니다: {value}",
    "The sharpness beta of a cosine score must be positive, got {value}.": "cosine 점수의 beta는 양수여야 합니다: {value}",
    "A location score needs max_length ≥ 1, got {value}.": "location 점수에는 max_length ≥ 1이 필요합니다: {value}",
    "A location score for {most} positions was given {count} keys; it has learned nothing beyond its length: build it with a larger max_length or shorten the source.": "위치 {most}개를 위한 location 점수에 키가 {count}개 들어왔습니다. max_length를 늘리거나 원문을 줄이세요.",
    "The bandwidth h of a kernel score must be positive, got {value}.": "kernel 점수의 대역폭 h는 양수여야 합니다: {value}",
    "The share of expected draws must be at least 0 and below 1, got {value}.": "기댓값으로 바꾸는 샘플링의 비율은 0 이상 1 미만이어야 합니다: {value}",
    "The picture has {count} regions, from 0; there is no region {position}.": "그림에는 영역이 {count}개 있고 번호는 0부터입니다. {position}번 영역은 없습니다.",
    "The half-width D of a local scope must be at least 0, got {value}.": "로컬 범위의 D는 0 이상이어야 합니다: {value}",
    "local_p needs D ≥ 1, because its Gaussian has σ = D/2.": "local_p에는 D ≥ 1이 필요합니다. 가우시안의 σ가 D/2이기 때문입니다.",
    "The temperature of a softmax must be positive, got {value}.": "softmax의 온도는 양수여야 합니다: {value}",
    "The temperature of a hard align must be positive, got {value}.": "hard 정규화의 온도는 양수여야 합니다: {value}",
    "alpha of entmax must lie in ({low}, {high}), got {value}.": "entmax의 alpha는 {low}보다 크고 {high}보다 작아야 합니다: {value}",
    "The attention inside a multi-head needs query_dim = key_dim = head_dim, got {head} and {key}.": "멀티헤드 안의 어텐션은 query_dim = key_dim = head_dim이어야 하는데 {head}과(와) {key}입니다.",
    "Score '{name}' carries a state over all positions; give it a global scope.": "점수 '{name}'은(는) 모든 위치를 기억하므로 global 범위가 필요합니다.",
    # plugins
    "There is no plugin file {path}.": "플러그인 파일이 없습니다: {path}",
    "The plugin {path} is not a regular file; save it as a .py file and name that.": "플러그인 {path}은(는) 일반 파일이 아닙니다. .py 파일로 저장해 지정하세요.",
    "The plugin {path} failed: {reason}.": "플러그인 {path}을(를) 실행하지 못했습니다: {reason}.",
    "{part} needs a class attribute `name` before it can be registered.": "{part}을(를) 등록하려면 클래스 속성 `name`이 필요합니다.",
    "{part} must be a subclass of Score, Scope or Normaliser to be registered.": "{part}을(를) 등록하려면 Score, Scope, Normaliser 중 하나의 하위 클래스여야 합니다.",
    # pictures
    "The heads of several queries do not fit into one picture; give one query.": "여러 쿼리의 헤드를 한 그림에 그릴 수 없습니다. 쿼리를 하나만 주세요.",
    "The picture of a kernel regression needs keys and values of one number each, such as --keys '0;1;2' --values '1;3;2', got sizes {keys} and {values}.": "커널 회귀를 그리려면 키와 밸류가 각각 수 하나여야 합니다. 예: --keys '0;1;2' --values '1;3;2'. 받은 크기는 {keys}과(와) {values}입니다.",
    "a picture is saved as .svg or .png, not as {name}: give the path one of these endings": "그림은 .svg나 .png로만 저장할 수 있습니다: {name}",
    "cannot write the picture {path}: {reason}": "그림을 쓸 수 없습니다: {path} ({reason})",
    "{path} is a folder; name a file to write {kind} to.": "{path}은(는) 폴더입니다. 쓸 파일의 이름을 주세요.",
    "{path} is a file; name another folder for {name}.": "{path}은(는) 파일입니다. {name}을(를) 쓸 다른 폴더를 주세요.",
    "{name} must be finite, not {value}.": "{name}은(는) 유한한 수여야 합니다: {value}",
    # pictures that are read, runs of other tasks
    "{path} is empty; PNG, JPEG and WebP pictures are read.": "{path}은(는) 빈 파일입니다. PNG, JPEG, WebP 그림을 읽습니다.",
    "{path} is not a picture, or broken from its first bytes; PNG, JPEG and WebP pictures are read.": "{path}은(는) 그림이 아니거나 첫 바이트부터 손상되었습니다. PNG, JPEG, WebP 그림을 읽습니다.",
    "{path} is a picture of another format; PNG, JPEG and WebP pictures are read.": "{path}은(는) 읽을 수 없는 형식의 그림입니다. PNG, JPEG, WebP 그림을 읽습니다.",
    "{path} is a drawing or page in XML, which is never run; PNG, JPEG and WebP pictures are read.": "{path}은(는) XML로 된 그림이나 페이지이며, 실행하지 않습니다. PNG, JPEG, WebP 그림을 읽습니다.",
    "{path} is broken or cut off ({reason}); replace or remove it.": "{path}이(가) 손상되었거나 잘렸습니다({reason}). 바꾸거나 지우세요.",
    "{path} has too many pixels; at most {most} are decoded. Make it smaller.": "{path}의 픽셀이 너무 많습니다. {most}개까지 읽습니다. 그림을 줄이세요.",
    "{path} has {width} × {height} pixels; at most {most} are decoded. Make it smaller.": "{path}의 크기가 {width} × {height} 픽셀입니다. 픽셀 {most}개까지 읽습니다. 그림을 줄이세요.",
    "{path} is not a file; name a PNG, JPEG or WebP picture.": "{path}은(는) 파일이 아닙니다. PNG, JPEG, WebP 그림을 지정하세요.",
    "{path} cannot be read: No such file or directory.": "{path}을(를) 읽을 수 없습니다. 파일이 없습니다.",
    "{path} is a run of task={task}, which does not {does}; use `jumok {command}`.": "{path}은(는) task={task}의 모델이라 이 명령에 쓸 수 없습니다. `jumok {command}`을(를) 쓰세요.",
    "--plot draws one picture; give one IMAGE.": "--plot은 그림 하나만 그립니다. IMAGE를 하나만 주세요.",
    "--smooth is about the picture; name its file with --plot.": "--smooth는 그릴 때만 씁니다. --plot으로 파일을 지정하세요.",
    "--attention is printed as JSON; add --json.": "--attention은 JSON으로 출력됩니다. --json을 함께 쓰세요.",
    "--plot needs attention, and the model of this run has none.": "--plot에는 어텐션이 필요한데 이 모델에는 없습니다.",
    "--plot needs attention, and the caption has no words.": "--plot에는 어텐션이 필요한데 설명에 단어가 없습니다.",
    "--plot needs a model with attention; this one has none.": "--plot에는 어텐션이 있는 모델이 필요한데 이 모델에는 없습니다.",
    "the length '{text}' is not understood; write words (12, 5..12, ..12) or a share of the text's words (10%, 5%..20%).": "길이 '{text}'을(를) 읽을 수 없습니다. 단어 수(12, 5..12, ..12)나 원문 단어 수에 대한 비율(10%, 5%..20%)로 쓰세요.",
    "{path} is not a folder; name one that holds a folder for each class.": "{path}은(는) 폴더가 아닙니다. 클래스마다 폴더가 하나씩 있는 폴더를 지정하세요.",
    "{path} holds no pictures ({kinds}); add some or remove the folder.": "{path}에 그림({kinds})이 없습니다. 그림을 넣거나 폴더를 지우세요.",
    "The support set has {count} classes, and {run} was trained for {ways}; leave some out, or train with data.ways={wanted}.": "예시의 클래스가 {count}개인데 {run}은(는) {ways}개까지 학습했습니다. 몇 개를 빼거나 data.ways={wanted}(으)로 학습하세요.",
    "Unknown class '{name}'{hint}; one of {known}.": "없는 클래스입니다: '{name}'{hint}. {known} 중에서 고르세요.",
    "a sheet is a PNG picture; give '{name}' the ending .png.": "생성한 그림은 PNG로 저장합니다. '{name}'의 확장자를 .png로 바꾸세요.",
    # looking inside a model
    "The run '{run}' has no attention between the two sides.": "모델 '{run}'에는 원문과 번역문 사이의 어텐션이 없습니다.",
    "There is no layer {number}; the decoder has {count}, from 0.": "층 {number}은(는) 없습니다. 디코더의 층은 {count}개이고 0부터 셉니다.",
    "There is no word in the text; type a sentence.": "텍스트에 단어가 없습니다. 문장을 입력하세요.",
    "the target must be a list of token numbers, not {given}.": "번역문은 토큰 번호의 목록이어야 하는데 {given}입니다.",
    "the target has {count} tokens, more than the {most} that the model can take.": "번역문이 토큰 {count}개로, 모델이 받을 수 있는 {most}개보다 깁니다.",
    "The token {token} ({name}) cannot be written; choose another.": "토큰 {token}({name})은(는) 출력할 수 없습니다. 다른 토큰을 고르세요.",
    "The sentence has {count} words, from 0; there is no word {word}.": "문장은 단어 {count}개이고 0부터 셉니다. 단어 {word}은(는) 없습니다.",
    "Teacher forcing gives the model every word; remove the forced words and the prefix.": "교사 강요에서는 모든 단어가 주어집니다. 강제한 단어와 접두부를 빼세요.",
    "Two edits of kind '{kind}' change the same {place}; keep one of them.": "'{kind}' 수정 두 개가 같은 곳({place})을 바꿉니다. 하나만 남기세요.",
    "The original has {count} tokens; step {step} is beyond its end.": "원래 출력은 토큰 {count}개입니다. 시점 {step}은(는) 그 끝을 넘습니다.",
    "Two edits force different words at the same step; keep one of them.": "수정 두 개가 같은 시점에 서로 다른 단어를 강제합니다. 하나만 남기세요.",
    "There is no head {head}; layer {layer} has {count}, from 0.": "헤드 {head}은(는) 없습니다. 층 {layer}의 헤드는 {count}개이고 0부터 셉니다.",
    "The output has {count} tokens and `</s>`; step {step} is beyond its end.": "출력은 토큰 {count}개와 `</s>`입니다. 시점 {step}은(는) 그 끝을 넘습니다.",
    "The source has {count} tokens, from 0; {token} is beyond its end.": "원문은 토큰 {count}개이고 0부터 셉니다. {token}은(는) 그 끝을 넘습니다.",
    "A row needs one weight for each of {count} source tokens, not {given}.": "한 행에는 원문 토큰 {count}개 각각의 어텐션 가중치가 필요한데 {given}개입니다.",
    "Source token {token} is removed by another edit, so its weight cannot be set.": "원문 토큰 {token}은(는) 다른 수정에서 지웠으므로 어텐션 가중치를 정할 수 없습니다.",
}

TABLES = (_ERRORS, TRAINING_ERRORS, MODEL_ERRORS)
ERRORS = {english: korean for table in TABLES for english, korean in table.items()}


def in_korean(message: str) -> str:
    """The sentence in Korean, or as it is where there is none."""
    for parts, english in _sentences():
        # To look for the fixed text is much quicker than to read a pattern.
        if all(part in message for part in parts) and (found := _pattern(english).fullmatch(message)):
            filled = {name: in_korean(value) for name, value in found.groupdict().items()}
            return fit_particles(ERRORS[english], **filled)
    return message


@cache
def _sentences() -> list[tuple[list[str], str]]:
    """The fixed text of each sentence, those with the most of it first, so that none is taken for a more general one."""
    fixed = {english: re.split(r"\{\w+\}", english) for english in ERRORS}
    return [(fixed[english], english) for english in sorted(ERRORS, key=lambda one: -sum(map(len, fixed[one])))]


@cache
def _pattern(english: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", english)
    text = "".join(
        f"(?P<{part}>{'.*' if part == 'hint' else '.+?'})" if number % 2 else re.escape(part)
        for number, part in enumerate(parts)
    )
    return re.compile(text, re.DOTALL)
