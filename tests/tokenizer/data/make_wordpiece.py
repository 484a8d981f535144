#!/usr/bin/env python3
"""Writes wordpiece.json: a small BERT vocabulary and the ids that Hugging Face's `tokenizers` gives for some texts.
Run with: pip install tokenizers; python3 make_wordpiece.py"""
import json, pathlib
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "un", "##aff", "##able", "aff", "cafe", "naive", "i", "##stanbul", "s", "##s", "o", "##os",
         "hello", "world", "!", ",", ".", "'", "t", "don", "$", "3", "##3", "日", "本", "a", "##a", "b", "##b", "σ", "ο", "##δ", "##ο", "##σ", "##ς",
         "\u1112", "##\u1161", "##\u11ab", "\u1100", "##\u1173", "##\u11af", "x", "##x"]
TEXTS = ["unaffable", "Hello, WORLD!", "café naïve CAFÉ", "İstanbul", "Straße", "don't", "$33", "日本a", "a日b", "한글", "ΟΔΟΣ", "οδος", "a\u0000b\ufffdc", "a\u200bb",
         "a\u00a0b\tb\nb\u2028b", "a\u0085b", "xyz", "x" * 100, "x" * 101, "", "   ", "\u0301a", "a.b,c", "a\u3000b", "[MASK]", "ａ", "𠀀a", "a–b", "a^b`b"]

def tokenizer(lowercase, strip_accents):
    t = Tokenizer(models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    t.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return t

def piece(word):  # the way GGUF writes WordPiece
    return word if word.startswith("[") else word[2:] if word.startswith("##") else "\u2581" + word

runs = {name: [t.encode(x).ids for x in TEXTS] for name, t in
        (("uncased", tokenizer(True, None)), ("cased", tokenizer(False, False)))}
out = {"tokens": [piece(w) for w in WORDS], "texts": TEXTS, **runs}
body = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in out.items())
(pathlib.Path(__file__).parent / "wordpiece.json").write_text("{\n" + body + "\n}\n", encoding="utf8")
