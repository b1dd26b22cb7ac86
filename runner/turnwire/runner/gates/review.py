"""The review of one call, in this order: known, parses, fits its schema, approved (spec/approval.md).

Owns the order. A person is never asked about a call that could not run. Gives a verdict, never an effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from turnwire.protocol.text import visible
from turnwire.runner.core.desk import Desk
from turnwire.runner.core.inputs import Cleared, Input, PutToPerson, Rejected
from turnwire.runner.core.jobs import Review
from turnwire.runner.core.ports import Tool
from turnwire.runner.core.shortening import shortened
from turnwire.runner.gates.approval import ApprovalPolicy, asks, card

__all__ = ["CallReview", "Verdict"]

Verdict = Cleared | Rejected | PutToPerson
"""What a review may say."""

_LONGEST_NAME = 200


class KnownTools(Protocol):
    """The tools of a run, by name."""

    def names(self) -> tuple[str, ...]:
        """All names, in the order in which the model is told them."""
        ...

    def get(self, name: str) -> Tool | None:
        """The tool of that exact name."""
        ...


class CallReview:
    """Reviews calls against the tools and the policy of one run."""

    def __init__(
        self,
        tools: KnownTools,
        policy: ApprovalPolicy,
        *,
        parse: Callable[[bytes], dict[str, Any]],
        violations: Callable[[Tool, Mapping[str, Any]], list[str]],
        limit: int,
    ) -> None:
        """``violations`` lists how arguments break a tool's schema; ``limit`` bounds what the model is told,
        in characters.
        """
        self._tools = tools
        self._policy = policy
        self._parse = parse
        self._violations = violations
        self._limit = limit

    def review(self, job: Review, desk: Desk) -> Input:
        """Review one call, as the worker of its job."""
        return self.verdict(job)

    def verdict(self, review: Review) -> Verdict:
        """Review one call."""
        tool = self._tools.get(review.name)
        if tool is None:
            return self._reject(review, "unknown_tool", self._unknown(review.name))
        if review.invalid is not None:
            text = f"{review.name} was not run: {review.invalid}"
            return self._reject(review, "invalid_arguments", text)
        violations = self._violations(tool, self._parse(review.arguments))
        if violations:
            listed = "\n".join(f"- {violation}" for violation in violations)
            text = f"{review.name} was not run: its arguments do not fit its schema.\n{listed}"
            return self._reject(review, "invalid_arguments", text)
        return card(review, tool) if asks(tool, self._policy) else Cleared(call=review.call)

    def _unknown(self, name: str) -> str:
        names = ", ".join(self._tools.names()) or "none"
        return f"There is no tool {visible(name, _LONGEST_NAME)!r}. The tools are: {names}."

    def _reject(self, review: Review, code: str, text: str) -> Rejected:
        return Rejected(call=review.call, code=code, text=shortened(text, self._limit))
