"""Every key of the program: an id to remap it by, its default, and its word in the footer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from textual.binding import Binding

from quizapp.text.i18n import N_, _


@dataclass(frozen=True, slots=True)
class Key:
    """keys: Textual's names, separated by commas; shown: how the footer writes the first."""

    keys: str
    action: str
    label: str
    help: str
    shown: str = ""
    priority: bool = False


KEYS: Final[dict[str, Key]] = {
    "help": Key("question_mark,f1", "app.help", N_("keys"), N_("what every key does"), "?"),
    "language": Key("L,f3", "app.switch_language", N_("中文"), N_("switch to the other language")),
    "quit": Key("ctrl+q", "app.leave", N_("quit"), N_("leave; everything answered is saved"), "^q"),
    "back": Key("escape", "back", N_("back"), N_("back to where you came from"), "esc"),
    "open": Key("enter", "open", N_("open"), N_("open what the arrow points at")),
    "daily": Key("t", "daily", N_("today"), N_("answer today's question")),
    "due": Key("d", "due", N_("due"), N_("answer what comes due")),
    "lab": Key("l", "lab", N_("lab"), N_("every experiment, to run with parameters of your own")),
    "folklore": Key(
        "f", "folklore", N_("folklore"), N_("claims you met: refuted or borne out by your own runs")
    ),
    "practice": Key("p", "practice", N_("practice"), N_("attention by hand, graded by tests")),
    "more": Key("n,f7", "more", N_("one more"), N_("one more question, always")),
    "choose": Key("1,2,3,4,5,6,7,8,9", "", N_("choose"), N_("point at an option"), "1-9"),
    "confirm": Key("enter", "confirm", N_("run"), N_("hand in the answer and run it")),
    "aloud": Key(
        "space", "aloud", N_("say it first"), N_("hide the options while you say your answer")
    ),
    "hint": Key("i,f2", "hint", N_("hint"), N_("show a hint; the question returns sooner")),
    "confidence": Key(
        "tab", "confidence", N_("how sure"), N_("guess, fairly or certain"), priority=True
    ),
    "hand_in": Key(
        "ctrl+s", "confirm", N_("hand in"), N_("hand in what you have written"), "^s", True
    ),
    "go_on": Key("enter", "go_on", N_("go on"), N_("the follow-up, or what comes next")),
    "up": Key("plus,equals_sign", "step(1)", "+", N_("the next larger value, and run"), "+"),
    "down": Key("minus", "step(-1)", "-", N_("the next smaller value, and run"), "-"),
    "parameter": Key("p", "parameter", N_("parameter"), N_("which parameter + and - change")),
    "reseed": Key("s", "reseed", N_("new seed"), N_("run again with a new seed")),
    "rerun": Key("r", "rerun", N_("run again"), N_("back to the question's own run")),
    "cancel": Key("x", "cancel", N_("cancel"), N_("stop what is running")),
    "device": Key("d", "device", N_("device"), N_("run on the next device of this machine")),
    "why": Key("w", "why", N_("why"), N_("the whole explanation")),
    "copy": Key("y", "copy", N_("copy"), N_("copy one line worth sharing")),
    "in_lab": Key("o", "in_lab", N_("open in the lab"), N_("open this run in the lab")),
    "easy": Key("e", "easy", N_("easy"), N_("it was easy: return much later")),
    "undo": Key("u", "undo", N_("undo"), N_("take back the last answer")),
    "tick": Key("t", "tick", N_("tick"), N_("tick the option the arrow points at")),
    "take_back": Key(
        "backspace", "take_back", N_("take back"), N_("take back the number given last"), "bksp"
    ),
    "pair": Key(
        "a,b,c,d,e,f", "", N_("pair"), N_("give what the arrow points at its partner"), "a-f"
    ),
    "next_blank": Key("down", "go(1)", N_("next blank"), N_("fill in the next blank"), "↓"),
    "blank_before": Key("up", "go(-1)", N_("blank before"), N_("fill in the blank before"), "↑"),
    "search": Key("slash", "search", N_("search"), N_("search names and claims"), "/"),
    "edit": Key("enter", "edit", N_("edit"), N_("type a value, or take the next choice")),
    "next_param": Key("down,j", "move(1)", N_("parameter"), N_("the next parameter"), "↑↓"),
    "previous_param": Key("up,k", "move(-1)", N_("parameter"), N_("the parameter before"), "↑"),
    "pane": Key("tab", "pane", N_("pane"), N_("numbers, tables, plots, trace, sweep")),
    "next_part": Key(
        "right,l", "turn(1)", N_("next"), N_("the next number, table, plot or step"), "←→"
    ),
    "previous_part": Key(
        "left,h", "turn(-1)", N_("previous"), N_("the number, table, plot or step before"), "←"
    ),
    "defaults": Key(
        "r", "defaults", N_("defaults"), N_("back to the parameters it was opened with")
    ),
    "pin": Key("p", "pin", N_("pin"), N_("keep this run beside those to come; again lets go")),
    "sweep": Key("v", "sweep", N_("sweep"), N_("the highlighted number over this parameter")),
    "save": Key("w", "save", N_("save"), N_("save the numbers on show as a page, JSON or CSV")),
    "whose": Key("o", "whose", N_("whose attention"), N_("your own attention, or ours again")),
    "write": Key("enter", "write", N_("write"), N_("into the editor; esc leaves it")),
    "grade": Key(
        "ctrl+g,f5", "grade", N_("grade"), N_("run the tests on what you have written"), "^g"
    ),
    "side": Key("tab,f6", "side", N_("pane"), N_("statement, editor, results")),
    "external": Key(
        "e,f4", "external", N_("your editor"), N_("write in your own editor: $VISUAL or $EDITOR")
    ),
    "keep": Key(
        "ctrl+s", "keep", N_("save"), N_("save now; it is saved as you type, too"), "^s", True
    ),
    "reset": Key(
        "R", "reset", N_("start over"), N_("the starter again; what you wrote is kept beside it")
    ),
    "findings": Key(
        "m,f8", "findings", N_("findings"), N_("what the checker says about this file")
    ),
    "scroll": Key("down,j", "", N_("scroll"), N_("scroll, or point at the next"), "↓"),
}


def binding(name: str) -> Binding:
    """The Textual binding of a key; its id is the key's name."""
    key = KEYS[name]
    return Binding(key.keys, key.action, key.label, show=False, id=name, priority=key.priority)


def shown(name: str, remapped: dict[str, str], *, typing: bool = False) -> str:
    """How the footer writes the key, remapped or not.

    typing: in a text field, where a printable key types: then its function key, if it has one.
    """
    keys = remapped.get(name, KEYS[name].keys).split(",")
    if typing and len(keys) > 1:
        return keys[-1].upper()
    if name in remapped:
        return keys[0].replace("ctrl+", "^")
    return KEYS[name].shown or keys[0]


def label(name: str) -> str:
    """The key's word in the current language."""
    return _(KEYS[name].label)
