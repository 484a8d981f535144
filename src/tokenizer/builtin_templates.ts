/**
 * Chat templates by name, for files that carry none or a broken one. Each is the format that its model family
 * documents, written as a Jinja template with no more than that.
 */

const CHATML = `{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content }}
{{- '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

const LLAMA3 = `{{ bos_token }}{% for message in messages %}{{ '<|start_header_id|>' + message.role }}
{{- '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}
{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}`;

const LLAMA2 = `{% if messages and messages[0].role == 'system' %}{% set system = messages[0].content %}
{%- set messages = messages[1:] %}{% endif %}{% for message in messages %}{% if message.role == 'user' %}
{{- bos_token + '[INST] ' }}{% if loop.first and system %}{{ '<<SYS>>\\n' + system + '\\n<</SYS>>\\n\\n' }}{% endif %}
{{- message.content | trim + ' [/INST]' }}{% else %}{{ ' ' + message.content | trim + ' ' + eos_token }}{% endif %}
{%- endfor %}`;

const GEMMA = `{{ bos_token }}{% set ns = namespace(system='') %}{% for message in messages %}
{%- if message.role == 'system' %}{% set ns.system = message.content | trim + '\\n\\n' %}{% else %}
{{- '<start_of_turn>' + ('model' if message.role == 'assistant' else message.role) + '\\n' + ns.system }}
{{- message.content | trim + '<end_of_turn>\\n' }}{% set ns.system = '' %}{% endif %}{% endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}`;

const ZEPHYR =
  `{% for message in messages %}{{ '<|' + message.role + '|>\\n' + message.content + eos_token + '\\n' }}
{%- endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}`;

const TEMPLATES: Record<string, string> = {
  chatml: CHATML,
  gemma: GEMMA,
  llama2: LLAMA2,
  llama3: LLAMA3,
  zephyr: ZEPHYR,
};

/** Names of the templates. */
export const BUILTIN_TEMPLATE_NAMES: readonly string[] = Object.keys(TEMPLATES);

/** The template of that name, or undefined. */
export function builtinTemplate(name: string): string | undefined {
  return Object.hasOwn(TEMPLATES, name) ? TEMPLATES[name] : undefined;
}
