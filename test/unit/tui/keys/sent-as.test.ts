import { expect, test } from "vitest";
import type { Key } from "../../../../src/tui/keys/key.ts";
import { KeyReader } from "../../../../src/tui/keys/key-reader.ts";
import { sentAs } from "../../../../src/tui/keys/sent-as.ts";

test("a key that is read later is the same key", () => {
	const typed: Key[] = [
		{ is: "text", text: "héllo" },
		{ is: "key", name: "backspace" },
		{ is: "paste", text: "one\ntwo" },
		{ is: "key", name: "j", ctrl: true },
		{ is: "key", name: "enter", alt: true },
		{ is: "key", name: "enter" },
		{ is: "focus", hasFocus: false },
	];
	const read: Key[] = [];
	const reader = new KeyReader({ now: () => 0, tell: (key) => void read.push(key) });
	for (const key of typed) reader.read(sentAs(key));
	expect(read).toEqual(typed);
});

test("a key that is for what is on the screen means nothing later", () => {
	expect(sentAs({ is: "key", name: "up" })).toBe("");
});
