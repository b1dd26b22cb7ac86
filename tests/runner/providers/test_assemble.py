"""Pieces of calls find their call, whatever a server leaves out, repeats or mixes up."""

from __future__ import annotations

import json

import pytest
from support.model_steps import ABSENT, DONE, delta, fin, tc, txt
from support.streams import read_chunks
from support.talk import Listener, calls_of, fault_of, reply_of, shown, text_of

from turnwire.protocol.content import Text
from turnwire.protocol.faults import ErrorCode
from turnwire.protocol.rows import Port
from turnwire.runner.core.ports import Finish, ProposedCall
from turnwire.runner.providers.assemble import LONGEST_REPLY_CHARACTERS, Assembly
from turnwire.runner.providers.blocks import CallPiece
from turnwire.runner.providers.errors import ProviderFault

A, B = '{"p":"a"}', '{"p":"b"}'
CALLED = fin("tool_calls") + DONE


def test_A01_deltas_without_index_make_two_calls() -> None:
    outcome = read_chunks([tc(ABSENT, "c1", "read", A), tc(ABSENT, "c2", "read", B), CALLED])
    assert shown(outcome) == [("read", A.encode()), ("read", B.encode())]
    assert [call.provider_call_id for call in calls_of(outcome)] == ["c1", "c2"]


def test_A01_neither_index_nor_id_makes_two_calls() -> None:
    outcome = read_chunks([tc(None, None, "read", A), tc(None, None, "read", B), CALLED])
    assert shown(outcome) == [("read", A.encode()), ("read", B.encode())]


def test_A02_bare_pieces_go_to_the_newest_call() -> None:
    first, bare = tc(ABSENT, "c1", "read", '{"p":'), tc(ABSENT, ABSENT, ABSENT, '"a"}')
    second, last = tc(ABSENT, "c2", "read", '{"p":'), tc(ABSENT, ABSENT, ABSENT, '"b"}')
    outcome = read_chunks([first, bare, second, last, CALLED])
    assert shown(outcome) == [("read", A.encode()), ("read", B.encode())]


def test_A04_a_new_id_on_a_used_index_opens_a_call() -> None:
    pieces = tc(0, "c1", "add", '{"a":2}') + txt("\n") + tc(0, "c2", "wx", '{"city":"T"}')
    outcome = read_chunks([pieces + CALLED])
    assert shown(outcome) == [("add", b'{"a":2}'), ("wx", b'{"city":"T"}')]


def test_A04_a_nameless_piece_with_a_new_id_goes_on() -> None:
    outcome = read_chunks([tc(0, "r1", "read", '{"p":'), tc(0, "r2", ABSENT, '"a"}'), CALLED])
    assert shown(outcome) == [("read", A.encode())]


def test_A05_another_name_on_the_slot_opens_a_call() -> None:
    outcome = read_chunks(
        [tc(0, ABSENT, "fetch", '{"u":"a"}'), tc(0, ABSENT, "search", '{"q":"}{"}'), CALLED]
    )
    assert shown(outcome) == [("fetch", b'{"u":"a"}'), ("search", b'{"q":"}{"}')]


def test_A05_the_same_name_after_a_whole_object_splits() -> None:
    outcome = read_chunks([tc(0, ABSENT, "read", '{"p":"}{"}'), tc(0, ABSENT, "read", B), CALLED])
    assert shown(outcome) == [("read", b'{"p":"}{"}'), ("read", B.encode())]


def test_A05_objects_without_a_seam_are_one_invalid_call() -> None:
    outcome = read_chunks([tc(0, "c", "read", A + B), CALLED])
    [call] = calls_of(outcome)
    assert (call.arguments, call.name) == (b"{}", "read")
    assert call.invalid is not None


def test_A08_one_id_on_two_slots_makes_two_calls() -> None:
    outcome = read_chunks([tc(0, "x", "read", A), tc(1, "x", "read", B), CALLED])
    assert shown(outcome) == [("read", A.encode()), ("read", B.encode())]


@pytest.mark.parametrize("empty", ["", None, ABSENT])
def test_A10_an_empty_id_counts_as_missing(empty: object) -> None:
    [call] = calls_of(read_chunks([tc(0, empty, "ls", "{}"), CALLED]))
    assert (call.name, call.arguments, call.provider_call_id) == ("ls", b"{}", None)


def test_A11_a_repeated_name_is_said_once() -> None:
    pieces = [tc(0, "c", "read", piece) for piece in ('{"p"', ":", '"a"', "}")]
    assert shown(read_chunks([*pieces, CALLED])) == [("read", A.encode())]


def test_A11_a_name_in_pieces_is_put_together() -> None:
    pieces = [tc(0, "c", "re", ""), tc(0, ABSENT, "ad", ""), tc(0, ABSENT, ABSENT, A)]
    assert shown(read_chunks([*pieces, CALLED])) == [("read", A.encode())]


@pytest.mark.parametrize("nothing", ["", ABSENT, None, "  "])
def test_A13_missing_arguments_of_a_finished_call_are_empty(nothing: object) -> None:
    assert shown(read_chunks([tc(0, "c", "ls", nothing), CALLED])) == [("ls", b"{}")]


@pytest.mark.parametrize("bad", [r'{"re":"\d+"}', '{"t":"a " b"}', '{"v":NaN}', '{"x":' * 5000])
def test_A16_A17_A20_a_bad_call_spoils_no_other(bad: str) -> None:
    pieces = [tc(0, "c", "grep", bad), tc(1, "d", "read", A), txt("done"), CALLED]
    wrong, good = calls_of(read_chunks(pieces))
    assert (wrong.arguments, wrong.invalid is None) == (b"{}", False)
    assert (good.arguments, good.invalid) == (A.encode(), None)


def test_A19_interleaved_calls_keep_their_own_arguments() -> None:
    opened = [tc(1, "a", "A", ""), tc(2, "b", "B", "")]
    pieces = [(1, '{"s":'), (2, '{"q":'), (1, "1}"), (2, "2}")]
    outcome = read_chunks([*opened, *(tc(i, ABSENT, ABSENT, p) for i, p in pieces), CALLED])
    assert shown(outcome) == [("A", b'{"s":1}'), ("B", b'{"q":2}')]


@pytest.mark.parametrize("label", ["stop", "other", "function_call", ""])
def test_A22_complete_calls_are_kept_whatever_the_label(label: str) -> None:
    outcome = read_chunks([txt("let me look") + tc(0, "c", "ls", "{}") + fin(label) + DONE])
    assert shown(outcome) == [("ls", b"{}")]
    assert reply_of(outcome).finish is Finish.STOP


def test_A23_a_label_without_a_call_is_an_empty_reply() -> None:
    reply = reply_of(read_chunks([CALLED]))
    assert (reply.content, reply.finish) == ((), Finish.STOP)


@pytest.mark.parametrize(
    "cut",
    [
        txt("The answer is"),
        tc(0, "c", "write", '{"p":"a","t":"x'),
        tc(0, "c", "write", ""),
        tc(0, "b", "read", A) + tc(1, "c", "write", ""),
        tc(0, "b", "read", A),
        b"",
    ],
)
def test_A25_A26_a_stream_without_an_end_is_a_fault(cut: bytes) -> None:
    fault = fault_of(read_chunks([cut]))
    assert fault.error.code == ErrorCode.BAD_STREAM
    assert fault.error.retryable
    assert fault.partial == ("The answer is" if b"answer" in cut else "")


@pytest.mark.parametrize("cut", [tc(0, "c", "write", ""), tc(0, "c", "write", '{"p":'), b""])
def test_A26_the_end_mark_alone_finishes_no_cut_call(cut: bytes) -> None:
    assert fault_of(read_chunks([cut, DONE])).error.code == ErrorCode.BAD_STREAM


def test_A22_the_end_mark_alone_is_enough_for_what_is_whole() -> None:
    reply = reply_of(read_chunks([txt("hi"), tc(0, "c", "ls", "{}"), DONE]))
    assert reply.finish is Finish.STOP
    assert reply.note is not None


@pytest.mark.parametrize(
    ("arguments", "label"),
    [('{"p":"a","t":"line1\\nli', "stop"), ('{"cmds":["ls","pwd"', "length"), ("", "length")],
)
def test_A28_A29_cut_arguments_are_invalid_and_never_repaired(arguments: str, label: str) -> None:
    [call] = calls_of(read_chunks([tc(0, "c", "write", arguments), fin(label), DONE]))
    assert call.arguments == b"{}"
    assert call.invalid is not None
    assert "truncated" in call.invalid


def test_T14_a_call_before_the_cut_keeps_its_arguments() -> None:
    outcome = read_chunks([tc(0, "c", "read", A), tc(1, "d", "read", '{"p'), fin("length")])
    whole, cut = calls_of(outcome)
    assert (whole.arguments, whole.invalid) == (A.encode(), None)
    assert cut.invalid is not None
    assert reply_of(outcome).finish is Finish.LENGTH


def test_B08_an_escaped_pair_over_two_pieces_is_one_character() -> None:
    pieces = [tc(0, "c", "say", '{"t":"\\ud83c'), tc(0, ABSENT, ABSENT, '\\udf78"}'), CALLED]
    assert shown(read_chunks(pieces)) == [("say", '{"t":"🍸"}'.encode())]


def test_B08_halves_in_text_deltas_become_one_character() -> None:
    listener = Listener()
    outcome = read_chunks([txt("a\ud83c"), txt("\udf78b"), txt("\ud83c"), fin("stop")], listener)
    assert text_of(outcome) == "a🍸b\ufffd"
    assert [text for _, text, _ in listener.deltas] == ["a", "🍸b", "\ufffd"]


def test_B08_halves_in_decoded_arguments_become_one_character() -> None:
    pieces = [tc(0, "c", "say", '{"t":"\ud83c'), tc(0, ABSENT, ABSENT, '\udf78"}'), CALLED]
    assert shown(read_chunks(pieces)) == [("say", '{"t":"🍸"}'.encode())]


def test_blocks_keep_the_order_in_which_they_were_said() -> None:
    thought = delta({"reasoning_content": "hm"})
    outcome = read_chunks([thought, txt("a"), txt("b"), tc(0, "c", "ls", "{}"), txt("z"), CALLED])
    kinds = [type(block).__name__ for block in reply_of(outcome).content]
    assert kinds == ["Reasoning", "Text", "ProposedCall", "Text"]
    assert text_of(outcome) == "abz"


def test_S1_live_pieces_say_whose_they_are() -> None:
    listener = Listener()
    pieces = [delta({"reasoning": "hm"}), txt("a"), tc(3, "c", "ls", A), tc(7, "d", "ls", B)]
    read_chunks([*pieces, CALLED], listener)
    assert listener.deltas == [
        (Port.REASONING, "hm", None),
        (Port.TEXT, "a", None),
        (Port.ARGUMENTS, A, 0),
        (Port.ARGUMENTS, B, 1),
    ]


def test_pieces_of_one_packet_are_told_at_once_and_in_order() -> None:
    listener = Listener()
    read_chunks(
        [txt("a") + txt("b") + delta({"reasoning": "c"}) + txt("d") + fin("stop")], listener
    )
    assert [text for _, text, _ in listener.deltas] == ["ab", "c", "d"]


def test_a_reply_without_end_is_stopped_at_its_limit() -> None:
    fault = fault_of(
        read_chunks([txt("x" * 1_000_000)] * (LONGEST_REPLY_CHARACTERS // 1_000_000 + 2))
    )
    assert (fault.error.code, fault.error.retryable) == (ErrorCode.BAD_STREAM, False)
    assert len(fault.partial) <= LONGEST_REPLY_CHARACTERS


def test_endless_empty_calls_come_to_an_end() -> None:
    assembly = Assembly(Listener().delta)

    def open_calls() -> None:
        for slot in range(LONGEST_REPLY_CHARACTERS):
            assembly.call(CallPiece(slot, name="x"))

    with pytest.raises(ProviderFault, match="longer than"):
        open_calls()


def test_A07_ids_of_the_provider_are_kept_aside() -> None:
    outcome = read_chunks([tc(0, "sh_0", "sh", json.dumps({"c": "echo 1"})), CALLED])
    assert [call.provider_call_id for call in calls_of(outcome)] == ["sh_0"]


def test_a_call_without_any_name_is_still_a_call() -> None:
    [call] = calls_of(read_chunks([tc(0, "c", ABSENT, "{}"), CALLED]))
    assert call == ProposedCall(name="", arguments=b"{}", provider_call_id="c")


def test_empty_pieces_make_no_block() -> None:
    reply = reply_of(read_chunks([txt(""), txt(None), delta({"reasoning": ""}), fin("stop")]))
    assert reply.content == ()


def test_text_after_text_is_one_block() -> None:
    reply = reply_of(read_chunks([txt("a"), txt("b"), fin("stop")]))
    assert reply.content == (Text(text="ab"),)


def test_A11_a_name_with_each_of_many_pieces_is_one_call() -> None:
    arguments = json.dumps({"p": "}{" * 500})
    pieces = [tc(0, ABSENT, "read", character) for character in arguments]
    assert shown(read_chunks([*pieces, CALLED])) == [("read", arguments.replace(" ", "").encode())]
