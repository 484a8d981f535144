#!/usr/bin/env python3
"""Writes jinja.json: what Jinja2, set up as Hugging Face does for chat templates, makes of small templates.
Run with: pip install transformers jinja2; python3 make_jinja.py"""
import json, pathlib
from transformers.utils.chat_template_utils import _compile_jinja_template as compile_template

V = {"s": "Hello World", "n": None, "t": True, "xs": [3, 1, 2], "d": {"b": 1, "a": [True, None, 2.5]}, "e": [], "u": "naïve 日本 😀",
     "m": [{"role": "user", "content": "hi", "k": 1}, {"role": "assistant", "content": "yo", "tool_calls": [{"name": "f"}], "k": 2},
           {"role": "user", "content": "B", "k": 1}], "num": {"10": "x", "2": "y", "1": "z"}, "f": 2.0, "q": "it's", "dq": 'say "hi"'}
T = r'''
{{ '</think>x\n\ny'.split('</think>')[-1].lstrip('\n') }}
{{ 'abc'[::-1] }}
{% for i in range(3) %}{% if i == 1 %}{% continue %}{% endif %}{{ i }}{% endfor %}
{% for i in range(5) %}{{ i }}{% if i == 2 %}{% break %}{% endif %}{% endfor %}
{% macro r(n, d=12) %}{{ n }}d{{ d }}{% endmacro %}{{ r(1) }}
{% macro r(n, d=12) %}{{ n }}d{{ d }}{% endmacro %}{{ r(2, d=6) }}|{{ r(n=3) }}
{{ 'abc'.startswith(('x','a')) }}
{{ true }} {{ false }} {{ none }} {{ 2.0 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 7 / 2 }} {{ 2 ** 3 }}
{{ f }} {{ d }} {{ xs }} {{ (1, 'a') }} {{ num }}
{{ q }} {{ [q] }} {{ [dq] }} {{ ['a\nb\t\\'] }}
{{ m.foo }}|{{ m[0].foo }}|{{ undefined_thing }}
{{ m[0].foo.bar }}
{{ undefined_thing.x }}
{{ ''|default('q', true) }} {{ undefined_thing|default('z') }} {{ n|default('z') }} {{ undefined_thing|default }}
{% if [] %}a{% else %}b{% endif %}{% if {} %}a{% else %}b{% endif %}{% if '' %}a{% else %}b{% endif %}{% if 0.0 %}a{% else %}b{% endif %}
{{ [] == [] }} {{ {} == {} }} {{ 1 == '1' }} {{ 1 == 1.0 }} {{ true == 1 }} {{ none == undefined_thing }} {{ [1,2] == [1,2] }}
{{ 'a' in 'cat' }} {{ 'a' in ['a'] }} {{ 'b' in d }} {{ 'z' not in d }} {{ 1 in [1.0] }} {{ [1] in [[1]] }}
{{ u|length }} {{ u[-1] }} {{ u[6:8] }} {{ u|upper }} {{ u.find('日') }}
{% set x = 1 %}{% for i in range(2) %}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}
{% set ns = namespace(x=1) %}{% for i in range(2) %}{% set ns.x = ns.x + 1 %}{% endfor %}{{ ns.x }}
{% for i in range(2) %}{{ y is defined }}{% set y = 1 %}{% endfor %}
{% set x = 0 %}{% for i in [1,2] %}{% set x = x + 1 %}{{ x }}{% endfor %}{{ x }}
{% for k in undefined_thing %}x{% else %}none{% endfor %}
{% for c in 'ab' %}{{ c }}-{% endfor %}{% for k in d %}{{ k }}{% endfor %}
{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}{% for k, v in d|items %}{{ k }}{% endfor %}
{% for x in m if x.role == 'user' %}{{ loop.index }}/{{ loop.length }}:{{ x.content }}{% if not loop.last %},{% endif %}{% endfor %}
{% for x in xs %}{{ loop.previtem }}<{{ x }}>{{ loop.nextitem }} {{ loop.revindex0 }}{{ loop.cycle('a','b') }}{{ loop.first }} {% endfor %}
{{ d|tojson }} {{ u|tojson }} {{ d|tojson(indent=2) }} {{ 'é<>&'|tojson }} {{ 2.0|tojson }} {{ d|tojson(sort_keys=true) }}
{{ u|tojson(ensure_ascii=true) }} {{ [1,'a']|tojson(separators=(',', ':')) }} {{ []|tojson(indent=4) }} {{ {'a':[]}|tojson(indent=4) }}
{{ undefined_thing|tojson }}
{{ m|map(attribute='role')|list }} {{ m|map(attribute='role')|join(',') }} {{ xs|map('string')|join('') }} {{ ['a']|map('upper')|list }}
{{ m|selectattr('role','equalto','user')|list|length }} {{ m|rejectattr('role','equalto','user')|map(attribute='content')|first }}
{{ m|selectattr('tool_calls','defined')|list|length }} {{ m|selectattr('k','gt',1)|list|length }} {{ m|selectattr('k')|list|length }}
{{ xs|select('odd')|list }} {{ xs|reject('odd')|list }} {{ [0,1,'']|select|list }}
{{ xs|sort }} {{ xs|sort(reverse=true) }} {{ ['b','A','c']|sort }} {{ m|sort(attribute='content')|map(attribute='content')|list }}
{{ xs|first }} {{ xs|last }} {{ xs|sum }} {{ xs|min }} {{ xs|max }} {{ [1,1,2]|unique|list }} {{ xs|reverse|list }} {{ e|first }}
{{ s|upper }} {{ s|lower }} {{ "hello wORLD foo-bar"|title }} {{ "hELLO"|capitalize }} {{ "they're bill's"|title }} {{ "they're bill's".title() }}
{{ '  a '|trim }}|{{ 'xxaxx'|trim('x') }}|{{ '  a '.strip() }}|{{ 'xxaxx'.strip('x') }}|{{ '\u0085a\ufeff'.strip()|length }}
{{ 'a,b,,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ ' a  b c '.split(none, 1) }} {{ 'a.b.c'.rsplit('.', 1) }}
{{ 'abc'.replace('b','x') }} {{ 'aaa'.replace('a','b',2) }} {{ 'aaa'|replace('a','b') }} {{ 'abc'.replace('','-') }}
{{ 'a\nb\n\nc'|indent }}|{{ 'a\nb'|indent(2, true) }}|{{ 'a\n\nb'|indent(width=1, blank=true) }}
{{ 'ab'.find('b') }} {{ 'ab'.find('z') }} {{ 'abab'.rfind('b') }} {{ 'abab'.count('a') }} {{ 'a-b-c'.partition('-') }} {{ 'a-b-c'.rpartition('-') }}
{{ ','.join(['a','b']) }} {{ 'a b'.title() }} {{ 'aB'.swapcase() }} {{ '7'.zfill(3) }} {{ 'x'.center(5)|length }} {{ 'x'.rjust(3, '.') }} {{ 'ab'.ljust(4, '-') }}
{{ '12'.isdigit() }} {{ 'a1'.isalnum() }} {{ ' '.isspace() }} {{ 'AB'.isupper() }} {{ ''.isdigit() }} {{ 'ab'.endswith('b') }} {{ 'abc'.removeprefix('a').removesuffix('c') }}
{{ 'a\nb\r\nc'.splitlines() }} {{ '{} and {}'.format(1, 'x') }} {{ '{a}'.format(a=2) }}
{{ '%s is %d and %.2f' % ('x', 3, 1.5) }} {{ '%05d|%-4s|%x'|format(42, 'a', 255) }}
{{ 3 is odd }} {{ 4 is divisibleby(2) }} {{ 4 is not divisibleby(2) }} {{ 'a' is string }} {{ d is mapping }} {{ xs is sequence }} {{ xs is iterable }} {{ d is iterable }} {{ s is iterable }}
{{ n is none }} {{ n is not none }} {{ t is true }} {{ 1 is true }} {{ t is boolean }} {{ 1 is number }} {{ 1.5 is float }} {{ 1 is integer }} {{ t is integer }} {{ 2 is in([1,2]) }} {{ s is callable }}
{{ s is defined }} {{ zz is undefined }} {{ 'abc' is lower }} {{ 1 is eq(1) }} {{ 'a' is equalto('a') }} {{ none is sameas(none) }}
{{ 'a' ~ 1 ~ none ~ true ~ 2.0 }} {{ 'a' * 3 }} {{ 'x' + 'y' }} {{ [1] + [2] }} {{ 1 + 2.0 }} {{ true + 1 }}
{{ 'a' + 1 }}
{{ 1 if false }}|{{ 1 if true else 2 }}|{{ 'x' if xs else 'y' }}
{{ not true }} {{ not [] }} {{ 1 and 0 }} {{ '' or 'b' }} {{ 1 < 2 }} {{ 'a' < 'b' }} {{ not 'a' in 'b' }} {{ -xs[0] }} {{ +1 }}
{{ xs[1:] }} {{ xs[:-1] }} {{ xs[::2] }} {{ xs[::-1] }} {{ (1,2,3)[1:] }} {{ s[1:4] }} {{ s[-3:] }} {{ xs[5] }} {{ xs[-1] }}
{{ d['a'] }} {{ d.get('zz', 5) }} {{ d.get('zz') }} {{ d['zz'] }} {{ d.keys()|list }} {{ d.values()|list }} {{ d|length }} {{ d|dictsort }}
{{ m[0]['role'] }} {{ m[0].role }} {{ m[-1].content }} {{ m[1].tool_calls[0].name }} {{ {'items': 3}['items'] }} {{ {1: 'a', none: 'b'}[1] }}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set c %}x{{ a }}{% endset %}{{ c }}{% filter upper %}q{{ c }}{% endfilter %}
{% macro w() %}<{{ caller() }}>{% endmacro %}{% call w() %}in{% endcall %}
{% macro w(a) %}[{{ caller(a) }}]{% endmacro %}{% call(z) w(5) %}{{ z * 2 }}{% endcall %}
{% macro v() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ v(1, 2, a=3) }}
{% macro v(a, b=5) %}{{ a }}{{ b }}{% endmacro %}{{ v(none, none) }}{{ v() }}
{% macro o() %}{{ i is defined }}{% endmacro %}{% for i in [1] %}{{ o() }}{% endfor %}
{% macro o() %}{{ late }}{% endmacro %}{% set late = 'L' %}{{ o() }}
a{#- c -#} b{# d #}c {%- if true -%} x {%- endif -%} y
{{ "a" "b" }} {{ 'it\'s' }} {{ "\x41\u00e9" }} {{ '\n'|length }}
{{ raise_exception('no way') }}
{{ 5|string + 'x' }} {{ true|string }} {{ [1]|string }} {{ '5'|int + 1 }} {{ 'z'|int(9) }} {{ '2.5'|float }} {{ 2.7|int }} {{ 2.567|round(2) }} {{ 2.5|round }} {{ -3|abs }} {{ 2.1|round(method='ceil') }}
{{ 1000000000000000000.0 }} {{ 0.00001 }} {{ 123456.789 }} {{ 0.1 + 0.2 }} {{ 10 / 5 }}
{{ '<a href="x">\'&'|escape }} {{ 'a b/c?d=é'|urlencode }} {{ 'one two'|wordcount }} {{ 'long text here'|truncate(8, true, '..', 0) }} {{ 'long text here'|truncate(8, false, '..', 0) }}
{{ [1,2,3]|batch(2)|list }} {{ m|groupby('k')|map(attribute='grouper')|list }} {{ [[2,'b'],[1,'a']]|sort }} {{ {'b':2,'a':1}|dictsort(by='value') }}
{{ m|tojson }}
{{ dict(a=1) }} {{ namespace(a=1).a }} {{ range(2, 8, 3)|list }} {{ range(3, 0, -1)|list }}
{{ [1, [2, {'a': 'b'}]] }} {{ {'a': "x'y"} }} {{ ['\u200b', '😀', '\x07'] }}
{{ s.upper().lower()[0:5].title()|replace('l', 'L') }}
{{ (xs|length > 2) and (s|lower).startswith('hello') }}
{{ num|tojson }} {% for k in num %}{{ k }}{% endfor %}
{{ 'x' in (n or '') }} {{ n and n.x }} {{ d.get('a')[1] is none }} {{ {'k': none}.k is none }} {{ {'k': none}.get('k', 3) }}
{% for a, b in [(1, 2), [3, 4]] %}{{ a + b }}{% endfor %}
{% for i in [1,2,3] if i > 5 %}{{ i }}{% else %}empty{% endfor %}
{% if m[0].content is string and m[0].content|length == 2 %}ok{% elif true %}no{% endif %}
{%- for message in m %}{{ '<|' + message['role'] + '|>\n' + message['content'] | trim + '</s>' }}{% endfor %}
{{ m|list|length }} {{ 'a'|list }} {{ d|list }} {{ 'ab'|first }} {{ 'ab'|last }} {{ 'ab'|reverse }} {{ 'abc'|join('-') }}
{% generation %}x{% endgenerationX %}
{% foo %}
{{ x|nofilter }}
{{ x is notest }}
{% if a %}
'''.strip("\n").split("\n")
MULTI = ["a\n    {% if true %}\nb\n    {% endif %}\nc\n", "{%- if a is defined -%}\n  A\n{%- endif %}\nB\n", "x\n\n", "\n{% set a = 1 %}\n\n  {{ a }}  \n",
         "{% for i in [1,2] %}\n- {{ i }}\n{% endfor %}\nend", "a {# c #}\n  b", "  {%- if true %} x\n  {%- endif %}\n", "{{ 1 }}\n{{ 2 -}}\n 3\n",
         "{% macro f(x) -%}\n  [{{ x }}]\n{%- endmacro %}\n{{ f(1) }}", "line\r\n{% if true %}\r\nx{% endif %}"]

cases = []
for text in T + MULTI:
    case = {"template": text}
    try:
        case["expected"] = compile_template(text).render(**V)
    except Exception as error:  # the class says whether it was refused while parsing or while rendering
        case["error"] = type(error).__name__
    cases.append(case)
here = pathlib.Path(__file__).parent
lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
(here / "jinja.json").write_text(f'{{"variables": {json.dumps(V, ensure_ascii=False)},\n"cases": [\n{lines}\n]}}\n', encoding="utf8")
