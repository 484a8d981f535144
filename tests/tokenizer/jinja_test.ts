/**
 * Chat templates are Jinja2 for Python. data/jinja.json holds small templates and what Jinja2 itself, set up as
 * Hugging Face does, makes of them; here each must come out byte for byte.
 */
import { parseJson } from "../../src/tokenizer/mod.ts";
import { renderTemplate } from "../../src/tokenizer/template/interpreter.ts";
import { parseTemplate } from "../../src/tokenizer/template/parse.ts";
import type { Dict, Value } from "../../src/tokenizer/template/values.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";

const data = parseJson(Deno.readTextFileSync(new URL("data/jinja.json", import.meta.url))) as Map<
  string,
  Value
>;
const variables = data.get("variables") as Dict;
const NOW = new Date(2024, 6, 26, 9, 5, 3);

function render(template: string, given: Dict = variables): string {
  return renderTemplate(parseTemplate(template).program, given, NOW);
}

for (const entry of data.get("cases") as Map<string, Value>[]) {
  const template = entry.get("template") as string;
  const expected = entry.get("expected") as string | undefined;
  const name = JSON.stringify(template);
  if (expected !== undefined) {
    Deno.test(`renderTemplate() does as Jinja2 with ${name}`, () => assertEquals(render(template), expected));
  } else {
    Deno.test(`renderTemplate() refuses what Jinja2 refuses: ${name}`, async () => {
      await assertFails(() => render(template), /chat template/);
    });
  }
}

const ERRORS: [template: string, message: string][] = [
  ["{{ m.foo.bar }}", "'list object' has no attribute 'foo', which is undefined"],
  ["{{ nothing.x }}", "'nothing' is undefined"],
  ["{{ raise_exception('Roles must alternate') }}", "refuses this conversation: Roles must alternate"],
  ["a\n  {% foo %}", "line 2, column 3: Unknown statement type: foo"],
  ["a\n{{ b @ c }}", "line 2, column 1: Unexpected character: @"],
  ["a\n{% if b %}\nc", "line 2, column 1: the template ends too early"],
  ["{# {% foo %} #}{% generation %}\n{{ ( }}", "line 2, column 1: Unexpected token: CloseExpression"],
  ["{{ x|nofilter }}", "no filter named 'nofilter'"],
  ["{{ 1 is notest }}", "no test named 'notest'"],
];
for (const [template, message] of ERRORS) {
  Deno.test(`parse and render say what is wrong with ${JSON.stringify(template)}`, async () => {
    await assertFails(() => render(template), message);
  });
}

Deno.test("parseTemplate() warns of filters and tests that do not exist, where rendering may never come to them", () => {
  const template = "{% if false %}{{ x|nofilter }}{{ x is notest }}{% endif %}fine";
  assertEquals(parseTemplate(template).warnings, [
    "The chat template uses a filter 'nofilter' that does not exist",
    "The chat template uses a test 'notest' that does not exist",
  ]);
  assertEquals(render(template), "fine");
});

Deno.test("strftime_now() writes the time as Python does", () => {
  const template = "{{ strftime_now('%d %b %Y') }} {{ strftime_now('%A %B %-d, %H:%M:%S %j %p %y %I %%') }}";
  assertEquals(render(template), "26 Jul 2024 Friday July 26, 09:05:03 208 AM 24 09 %");
});

for (
  const path of [
    "constructor",
    "__proto__",
    "__class__",
    "prototype",
    "toString",
    "hasOwnProperty",
    "valueOf",
  ]
) {
  Deno.test(`no value of a template has JavaScript's or Python's inner "${path}"`, () => {
    for (const value of ["s", "xs", "d", "m[0]", "5", "true", "range", "namespace()"]) {
      assertEquals(
        render(`{{ ${value}.${path} is defined }}{{ ${value}['${path}'] is defined }}`),
        "FalseFalse",
        value,
      );
    }
  });
}

Deno.test("renderTemplate() keeps keys like __proto__ and 10 as any others, in order", () => {
  const given: Dict = new Map([["d", parseJson('{"10": 1, "2": 2, "__proto__": 3}')]]);
  assertEquals(render("{{ d|tojson }}{{ d['__proto__'] }}", given), '{"10": 1, "2": 2, "__proto__": 3}3');
});

const ENDLESS: [what: string, template: string][] = [
  ["a range of a billion", "{% for i in range(1000000000) %}{% endfor %}"],
  [
    "nested loops without end",
    "{% for a in range(99999) %}{% for b in range(99999) %}{{ b }}{% endfor %}{% endfor %}",
  ],
  ["a string of a terabyte", "{{ 'a' * 1000000000000 }}"],
  ["padding of a terabyte", "{{ 'a'.center(1000000000000) }}"],
  [
    "a doubling string",
    "{% set ns = namespace(s='ab') %}{% for i in range(60) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
  ],
  ["a macro that calls itself", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"],
];
for (const [what, template] of ENDLESS) {
  Deno.test(`renderTemplate() gives up on ${what}`, async () => {
    await assertFails(() => render(template), "Cannot use the chat template");
  });
}

Deno.test("parseJson() keeps floats, exact integers, and the order of keys", () => {
  const value = parseJson('{"b": 2.0, "1": 9007199254740993, "a": [true, null, "\\u00e9", -1e3]}') as Dict;
  assertEquals([...value.keys()], ["b", "1", "a"]);
  assertEquals(
    render("{{ v }} {{ v|tojson }}", new Map([["v", value]])),
    "{'b': 2.0, '1': 9007199254740993, 'a': [True, None, 'é', -1000.0]} " +
      '{"b": 2.0, "1": 9007199254740993, "a": [true, null, "é", -1000.0]}',
  );
});

for (
  const text of [
    "",
    "{",
    "[1,]",
    '{"a" 1}',
    "{a: 1}",
    "'a'",
    "1 2",
    "[1",
    '"',
    '"\\x"',
    "nul",
    "[".repeat(1000),
  ]
) {
  Deno.test(`parseJson() refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
    try {
      parseJson(text);
    } catch (error) {
      return assert(error instanceof SyntaxError, String(error));
    }
    assert(false, "accepted");
  });
}
