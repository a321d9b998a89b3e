import { expect, test } from "vitest";
import { markFound } from "../../../../../../src/faces/dashboard/panes/transcript/find-text.ts";
import { type Line, segment, selectLine } from "../../../../../../src/tui/text/line.ts";

const LINE: Line = [segment("waits for ", "dim"), segment("Lock", "busy"), segment(" of the lock", "plain")];

function shown(line: Line): string {
	return line.map(({ text, style, isSelected }) => `${isSelected ? "!" : ""}${style}:${text}`).join("|");
}

test("every match is marked, whatever its letters' size, and the rest stays as it was", () => {
	expect(shown(markFound(LINE, "LOCK"))).toBe("dim:waits for |alert:Lock|plain: of the |alert:lock");
});

test("a match may go over the ends of segments", () => {
	expect(shown(markFound(LINE, "or lock of"))).toBe("dim:waits f|alert:or |alert:Lock|alert: of|plain: the lock");
});

test("in a selected line a match is not inverted", () => {
	expect(shown(markFound(selectLine([segment("a lock", "dim")]), "lock"))).toBe("!dim:a |strong:lock");
});

test("text that means something in a pattern is only text, also beside characters of two units", () => {
	expect(shown(markFound([segment("🌳 a.*[b](c)-/d\\ {1}^$|?+")], ".*[b](c)-/d\\ {1}^$|?+"))).toBe(
		"plain:🌳 a|alert:.*[b](c)-/d\\ {1}^$|?+",
	);
	expect(shown(markFound([segment("İi🌳🌳")], "🌳"))).toBe("plain:İi|alert:🌳|alert:🌳");
});

test("without a text to find, or without a match, the line is the same", () => {
	expect(markFound(LINE, "")).toBe(LINE);
	expect(markFound(LINE, "key")).toBe(LINE);
});

test("blanks alone are not marked", () => {
	expect(markFound(LINE, " ")).toBe(LINE);
});
