"""Language models: text as tokens, and text that a compiled network writes (docs/generate.md)."""

from __future__ import annotations

import codecs
import ctypes
import os
from typing import TYPE_CHECKING

from . import _bindings as b
from ._lib import DIAG, call, lib, release, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .model import Model

__all__ = ["Tokenizer", "generate"]

#: Tokens of prompt and text together, where nothing else is asked for.
_TOKENS = 256


class Tokenizer:
    """Text as the numbers that language models read and write. Any number of threads may use one.

    Parameters
    ----------
    path : str
        llama2.c's ``tokenizer.bin``, or Hugging Face's ``tokenizer.json`` with a model of byte pairs.

    Attributes
    ----------
    format : str
        ``"llama2c"`` or ``"huggingface"``.
    begin, end : int or None
        The tokens that begin and end a text.

    Examples
    --------
    >>> tokenizer = vta.Tokenizer("tok512.bin")
    >>> tokenizer.decode(tokenizer.encode("Once upon a time"))
    ' Once upon a time'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        handle = ctypes.c_void_p()
        call(lib.vta_tokenizer_load, os.fsencode(path), None, DIAG, ctypes.byref(handle))
        release(self, lib.vta_tokenizer_destroy, handle)
        self._handle = handle
        begin, end = lib.vta_tokenizer_begin(handle), lib.vta_tokenizer_end(handle)
        self.format = text(lib.vta_tokenizer_format(handle))
        self.begin: int | None = begin if begin >= 0 else None
        self.end: int | None = end if end >= 0 else None

    def __len__(self) -> int:
        return int(lib.vta_tokenizer_count(self._handle))

    def encode(self, words: str) -> list[int]:
        """The tokens of a text, without the one that begins it.

        Parameters
        ----------
        words : str
        """
        data, tokens, count = words.encode(), ctypes.c_void_p(), ctypes.c_size_t()
        call(lib.vta_tokenizer_encode, self._handle, data, len(data), DIAG, ctypes.byref(tokens), ctypes.byref(count))
        try:
            return list((ctypes.c_int32 * count.value).from_address(tokens.value)) if tokens.value else []
        finally:
            lib.vta_string_free(tokens)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens.

        Parameters
        ----------
        tokens : sequence of int
        """
        array, out, size = (ctypes.c_int32 * len(tokens))(*tokens), ctypes.c_void_p(), ctypes.c_size_t()
        call(lib.vta_tokenizer_decode, self._handle, array, len(tokens), DIAG, ctypes.byref(out), ctypes.byref(size))
        try:
            return ctypes.string_at(out, size.value).decode()
        finally:
            lib.vta_string_free(out)

    def piece(self, token: int, first: bool = False) -> bytes:
        """What one token adds to a text, which may be a part of a character.

        Parameters
        ----------
        token : int
        first : bool, optional
            Whether nothing is before it.
        """
        size = ctypes.c_size_t()
        found = lib.vta_tokenizer_piece(self._handle, token, first, ctypes.byref(size))
        return ctypes.string_at(found, size.value)


class _Sequence:
    """A sequence on a compiled network: feeds tokens, gives the next one."""

    def __init__(self, model: Model, temperature: float, top_p: float, seed: int) -> None:
        self.model, self.handle, self.sampler = model, ctypes.c_void_p(), ctypes.c_void_p()
        instance = model._instance  # pylint: disable=protected-access
        call(lib.vta_language_of_instance, instance, DIAG, ctypes.byref(self.handle))
        release(self, lib.vta_language_destroy, self.handle, model)
        options = b.vta_sampler_options(size=ctypes.sizeof(b.vta_sampler_options), temperature=temperature, top_p=top_p,
                                        seed=seed)
        call(lib.vta_sampler_create, ctypes.byref(options), None, DIAG, ctypes.byref(self.sampler))
        release(self, lib.vta_sampler_destroy, self.sampler)
        self.context = int(lib.vta_language_context(self.handle))

    def next(self, tokens: Sequence[int]) -> int:
        """The token behind these."""
        scores, token = ctypes.c_void_p(), ctypes.c_int32()
        array = (ctypes.c_int32 * len(tokens))(*tokens)
        call(lib.vta_language_feed, self.handle, array, len(tokens), DIAG, ctypes.byref(scores))
        call(lib.vta_sampler_choose, self.sampler, scores, lib.vta_language_vocabulary(self.handle), DIAG,
             ctypes.byref(token))
        return token.value


def generate(model: Model, tokenizer: Tokenizer, prompt: str = "", *, tokens: int | None = None, temperature: float = 0,
             top_p: float = 1, seed: int = 0) -> Iterator[str]:
    """The text that a language model writes behind a prompt, piece by piece.

    Parameters
    ----------
    model : Model
        A compiled network with keys and values as inputs and outputs. While the iterator lives, nothing else may use it.
    tokenizer : Tokenizer
    prompt : str, optional
    tokens : int, optional
        How many to write at most; else prompt and text have 256.
    temperature, top_p, seed : float, float, int, optional
        As of ``vta generate``: a temperature of 0 takes the likeliest token.

    Yields
    ------
    str
        What each token adds; characters that are not complete yet come with the token that completes them.

    Examples
    --------
    >>> model, tokenizer = vta.load("stories.vta-model"), vta.Tokenizer("tok512.bin")
    >>> for piece in vta.generate(model, tokenizer, "Once upon a time"):
    ...     print(piece, end="", flush=True)
    """
    story, characters = _Sequence(model, temperature, top_p, seed), codecs.getincrementaldecoder("utf-8")("replace")
    given = ([] if tokenizer.begin is None else [tokenizer.begin]) + tokenizer.encode(prompt)
    if not given:
        raise ValueError("the tokenizer has no token that begins a text: give a prompt")
    most = max(1, _TOKENS - len(given)) if tokens is None else tokens
    for _ in range(min(most, story.context + 1 - len(given))):
        token = story.next(given)
        if token in (tokenizer.begin, tokenizer.end):
            break
        piece = characters.decode(tokenizer.piece(token, first=given == [tokenizer.begin]))
        given = [token]
        if piece:
            yield piece
    rest = characters.decode(b"", final=True)
    if rest:
        yield rest
