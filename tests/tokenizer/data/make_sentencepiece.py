#!/usr/bin/env python3
"""Writes sentencepiece.json: two tiny models trained by SentencePiece and what SentencePiece makes of some texts.
Run with: pip install sentencepiece; python3 make_sentencepiece.py"""
import base64, io, json, pathlib
import sentencepiece as spm
from sentencepiece import sentencepiece_model_pb2 as pb

WORDS = """the quick brown fox jumps over a lazy dog while seven wizards quietly brew more coffee for their friends
who never sleep before midnight because there is always another story to tell about rivers mountains and old
machines that hum like bees in summer light counting one two three four five numbers again and again""".split()
CORPUS = [" ".join(WORDS[i:i + 7]) + "." for i in range(0, len(WORDS), 3)] + ["naïve café", "12 345 67 890", "Hello world!"]
TEXTS = ["Hello world!", "the quick brown fox", "  two  spaces ", " leading", "trailing ", "", " ", "naïve café — 日本語 😀",
         "line\nbreak\ttab", "a€b", "<sep>the<sep> end", "12345 67", "ﬁne ½ Ａbc", "the\u0301", "mountainsandrivers", "\u3000wide\u3000"]
RULES = "FB01\t66 69\nBD\t31 2F 32\nFF21\t41\nFF22\t42\n3000\t20\n65 301\tE9\n"  # code points: from, to

def train(**options):
    out = io.BytesIO()
    spm.SentencePieceTrainer.train(sentence_iterator=iter(CORPUS), model_writer=out, minloglevel=2,
                                   hard_vocab_limit=False, **options)
    proto = pb.ModelProto(); proto.ParseFromString(out.getvalue())
    sp = spm.SentencePieceProcessor(model_proto=out.getvalue())
    return {
        "add_space_prefix": proto.normalizer_spec.add_dummy_prefix,
        "remove_extra_whitespaces": proto.normalizer_spec.remove_extra_whitespaces,
        "charsmap": base64.b64encode(proto.normalizer_spec.precompiled_charsmap).decode(),
        "pieces": [p.piece for p in proto.pieces], "scores": [p.score for p in proto.pieces],
        "types": [p.type for p in proto.pieces], "unknown": sp.unk_id(), "bos": sp.bos_id(), "eos": sp.eos_id(),
        "cases": [{"text": t, "ids": sp.encode(t)} for t in TEXTS],
    }

rules = pathlib.Path("rules.tsv"); rules.write_text(RULES)
models = {
    "bpe": train(model_type="bpe", vocab_size=520, byte_fallback=True, user_defined_symbols=["<sep>"],
                 normalization_rule_name="identity", remove_extra_whitespaces=False),
    "bpe_without_prefix": train(model_type="bpe", vocab_size=520, byte_fallback=True, add_dummy_prefix=False,
                                normalization_rule_name="identity", remove_extra_whitespaces=False),
    "unigram": train(model_type="unigram", vocab_size=150, normalization_rule_tsv=str(rules)),
    "unigram_keeping_spaces": train(model_type="unigram", vocab_size=150, remove_extra_whitespaces=False,
                                    normalization_rule_tsv=str(rules)),
}
rules.unlink()
here = pathlib.Path(__file__).parent
lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in models.items())
(here / "sentencepiece.json").write_text("{\n" + lines + "\n}\n", encoding="utf8")
