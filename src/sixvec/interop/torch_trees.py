"""Results as trees of tensors: in `torch.func`, `torch.export` and `torch.utils._pytree`."""

from __future__ import annotations

import json
from typing import Any

from torch.utils._pytree import GetAttrKey, register_pytree_node

from sixvec.arguments.result import Result, for_each_result, numbers_of, put_together, taken_apart


def _register(cls: type[Result]) -> None:
    """Make results of a class trees of torch, also in exported programs, where enums are texts."""

    def with_keys(result: Any) -> Any:
        numbers, words = taken_apart(result)
        return [(GetAttrKey(name), x) for name, x in zip(numbers_of(result), numbers, strict=True)], words

    register_pytree_node(
        cls,
        taken_apart,
        lambda numbers, words: put_together(cls, numbers, words),
        serialized_type_name=f"{cls.__module__}.{cls.__qualname__}",
        to_dumpable_context=json.dumps,
        from_dumpable_context=_words,
        flatten_with_keys_fn=with_keys,
    )


def _words(text: str) -> tuple[Any, ...]:
    return tuple(tuple(x) if isinstance(x, list) else x for x in json.loads(text))


for_each_result(_register)
