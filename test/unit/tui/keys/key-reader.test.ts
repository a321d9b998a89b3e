import { expect, test } from "vitest";
import type { Key } from "../../../../src/tui/keys/key.ts";
import { KeyReader, type KeyReaderOptions, MOST_PASTED } from "../../../../src/tui/keys/key-reader.ts";

const ESC = "\u001b";
const ENTER: Key = { is: "key", name: "enter" };
const text = (written: string): Key => ({ is: "text", text: written });
const paste = (pasted: string): Key => ({ is: "paste", text: pasted });

/** A reader whose time and silence are moved by hand. */
function newReader(keysAre: KeyReaderOptions["keysAre"] = "text") {
	const told: Key[] = [];
	let at = 0;
	let afterSilence: (() => void) | undefined;
	const silence = {
		start: (_: number, act: () => void) => {
			afterSilence = act;
		},
		stop: () => {
			afterSilence = undefined;
		},
	};
	const reader = new KeyReader({ keysAre, onKey: (key) => told.push(key), now: () => at, silence });
	return {
		read: (sent: string | Buffer) => reader.read(typeof sent === "string" ? Buffer.from(sent) : sent),
		/** What was told since the last call. */
		told: () => told.splice(0),
		pass: (ms: number) => {
			at += ms;
		},
		beSilent: () => afterSilence?.(),
		close: () => reader.close(),
	};
}

function keysOf(...reads: (string | Buffer)[]): Key[] {
	const { read, told, beSilent, pass } = newReader();
	for (const one of reads) {
		read(one);
		pass(1_000);
	}
	beSilent();
	return told();
}

test("what comes in one read is one text, and Enter behind it is a key", () => {
	expect(keysOf("hello\r")).toEqual([text("hello"), ENTER]);
	expect(keysOf("日本語", "\r")).toEqual([text("日本語"), ENTER]);
	expect(keysOf("\rabc\r\r")).toEqual([ENTER, text("abc"), ENTER, ENTER]);
	expect(keysOf("👩‍👩‍👧é")).toEqual([text("👩‍👩‍👧é")]);
	expect(keysOf("\\\r\n")).toEqual([text("\\"), ENTER]); // what some terminals are told to send for Shift-Enter
	expect(keysOf("@sr\t")).toEqual([text("@sr"), { is: "key", name: "tab" }]);
	expect(keysOf(`a${ESC}\nb`)).toEqual([text("a"), { is: "key", name: "j", ctrl: true, alt: true }, text("b")]);
	expect(keysOf(`x${ESC}[Ay`)).toEqual([text("x"), { is: "key", name: "up" }, text("y")]);
});

test("a line end within the text of one read is no Enter", () => {
	expect(keysOf("one\rtwo\tx\r")).toEqual([paste("one\ntwo\tx\n")]);
	expect(keysOf("変換\r確定")).toEqual([paste("変換\n確定")]);
});

test("a paste without marks that fills several reads sends nothing at its end", () => {
	const { read, told, pass } = newReader();
	read("one\rtwo\rthr");
	pass(2);
	read("ee\r");
	pass(2);
	read("four\r");
	read("five");
	expect(told()).toEqual([paste("one\ntwo\nthr"), paste("ee\n"), paste("four\n"), text("five")]);
	pass(1_000);
	read("x\r");
	expect(told()).toEqual([text("x"), ENTER]);
});

test("characters and sequences arrive whole wherever the bytes are cut", () => {
	const ignored = `${ESC}[<0;1;1m${ESC}[<35;4;4M${ESC}]11;rgb:ffff/ffff/ffff\u0007${ESC}P1+r544e=787465${ESC}\\${ESC}[24;80R`;
	const sent = Buffer.from(
		`é漢👩‍👩‍👧${ESC}[13;2u${ignored}${ESC}[200~a${ESC}[B\r\nb\u0003${ESC}[201~${ESC}[I${ESC}[<84;300;20M${ESC}[[A${ESC}${ESC}[D`,
	);
	const keys: Key[] = [{ is: "key", name: "enter", shift: true }, paste("a\nb"), { is: "focus", hasFocus: true }];
	const mouse: Key = { is: "mouse", x: 299, y: 19, button: "wheel_up" };
	const rest = [...keys, mouse, { is: "key", name: "f1" }, { is: "key", name: "left", alt: true }];
	for (let at = 0; at <= sent.length; at++) {
		const keys = keysOf(sent.subarray(0, at), sent.subarray(at));
		const typed = keys.flatMap((key) => (key.is === "text" ? [key.text] : [])).join("");
		expect([typed, ...keys.filter(({ is }) => is !== "text")], `cut at ${at}`).toEqual(["é漢👩‍👩‍👧", ...rest]);
	}
});

test("a lone escape is a key once nothing follows it, and Alt with what does", () => {
	const { read, told, beSilent } = newReader();
	read(ESC);
	expect(told()).toEqual([]);
	beSilent();
	expect(told()).toEqual([{ is: "key", name: "escape" }]);
	read(ESC);
	read("b");
	expect(told()).toEqual([{ is: "key", name: "b", alt: true }]);
	read(`${ESC}${ESC}`);
	beSilent();
	expect(told()).toEqual([
		{ is: "key", name: "escape" },
		{ is: "key", name: "escape" },
	]);
});

test("a paste has no control characters, and what a terminal would obey is gone", () => {
	expect(keysOf(`${ESC}[200~a${ESC}[31mred${ESC}[0m\u0003\u0007\rb\u202ec${ESC}[201~`)).toEqual([paste("ared\nbc")]);
});

test("a paste of any size is one, split anywhere; one that is too long is cut and says so", () => {
	const line = "漢字 and text\n";
	const pasted = line.repeat(80_000);
	const bytes = Buffer.from(`${ESC}[200~${pasted}${ESC}[201~x`);
	const reads: Buffer[] = [];
	for (let at = 0; at < bytes.length; at += 4_093) reads.push(bytes.subarray(at, at + 4_093));
	expect(keysOf(...reads)).toEqual([paste(pasted), text("x")]);
	const [cut, behind] = keysOf(`${ESC}[200~`, "x".repeat(MOST_PASTED), "yz", `${ESC}[201~q`);
	expect(cut).toEqual({ ...paste("x".repeat(MOST_PASTED)), isCut: true });
	expect(behind).toEqual(text("q"));
});

test("of commands each character is a key, and the end of a line is Enter wherever it stands", () => {
	const { read, told } = newReader("commands");
	read("jé\rk");
	expect(told()).toEqual([text("j"), text("é"), ENTER, text("k")]);
	read(`${ESC}[200~q\rs${ESC}[A${ESC}[201~${ESC}[<0;3;2M`);
	expect(told()).toEqual([paste("q\ns"), { is: "mouse", x: 2, y: 1, button: "left" }]);
});

test("hostile input costs no more than its length", () => {
	const { read, told } = newReader();
	const started = performance.now();
	for (const one of [
		`${ESC}`,
		`${ESC}[`,
		`${ESC}]`,
		`${ESC}[200~`,
		"\r",
		"a\r",
		"\u0301",
		`${ESC}[1;`,
		"[[",
		`${ESC}O`,
	])
		for (let n = 0; n < 4; n++) read(`${one.repeat(65_536 / one.length)}q`);
	expect(performance.now() - started).toBeLessThan(20_000); // quadratic work takes minutes
	expect(told().length).toBeGreaterThan(0);
});
