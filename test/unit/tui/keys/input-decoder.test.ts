import { expect, test } from "vitest";
import { InputDecoder, MOST_PASTED, type TerminalInput } from "../../../../src/tui/keys/key-reader.ts";

const ESC = "\u001b";
const key = (sequence: string): TerminalInput => ({ is: "key", sequence });
const paste = (text: string): TerminalInput => ({ is: "paste", text });

/** All that a terminal may send, and what it is. */
const STREAM: readonly (readonly [sent: string, is: readonly TerminalInput[]])[] = [
	["a", [key("a")]],
	["漢😀", [key("漢"), key("😀")]],
	["\r\u0003", [key("\r"), key("\u0003")]],
	[`${ESC}[A`, [key(`${ESC}[A`)]],
	[`${ESC}OB`, [key(`${ESC}OB`)]],
	[`${ESC}[1;5C`, [key(`${ESC}[1;5C`)]],
	[`${ESC}[[A`, [key(`${ESC}[[A`)]],
	[`${ESC}${ESC}[D`, [key(`${ESC}${ESC}[D`)]],
	[`${ESC}x`, [key(`${ESC}x`)]],
	[`${ESC}[200~a${ESC}[Bq\r\nb\u0003${ESC}[201~`, [paste(`a${ESC}[Bq\nb\u0003`)]],
	[`${ESC}[<0;1;1M`, [{ is: "mouse", x: 0, y: 0, button: "left" }]],
	[`${ESC}[<84;300;20M`, [{ is: "mouse", x: 299, y: 19, button: "wheel_up" }]],
	[`${ESC}[<0;1;1m${ESC}[<2;1;1M${ESC}[<35;4;4M`, []],
	[`${ESC}[24;80R`, [{ is: "answer", sequence: `${ESC}[24;80R` }]],
	[`${ESC}[>41;390;0c`, [{ is: "answer", sequence: `${ESC}[>41;390;0c` }]],
	[`${ESC}]11;rgb:ffff/ffff/ffff\u0007${ESC}P1+r544e=787465${ESC}\\`, []],
];

test("keys, pastes, mouse events and answers are what they are, wherever the stream is cut", () => {
	const whole = STREAM.map(([sent]) => sent).join("");
	const expected = STREAM.flatMap(([, is]) => is);
	const units = [...whole];
	for (let at = 0; at <= units.length; at++) {
		const decoder = new InputDecoder();
		const found = [units.slice(0, at), units.slice(at)].flatMap((piece) => decoder.decode(piece.join("")));
		expect(found, `cut at ${at}`).toEqual(expected);
		expect(decoder.holds).toBe("nothing");
	}
	const decoder = new InputDecoder();
	expect(units.flatMap((one) => decoder.decode(one))).toEqual(expected);
});

test.each([
	[ESC, [key(ESC)]],
	[`${ESC}${ESC}`, [key(ESC), key(ESC)]],
	[`${ESC}[`, [key(`${ESC}[`)]],
	[`${ESC}O`, [key(`${ESC}O`)]],
	[`${ESC}[<0;12`, []],
	[`${ESC}]11;rgb`, []],
])("what is held of %j when no more comes", (sent, is) => {
	const decoder = new InputDecoder();
	expect(decoder.decode(sent)).toEqual([]);
	expect(decoder.holds).toBe("key");
	expect(decoder.flush()).toEqual(is);
	expect(decoder.holds).toBe("nothing");
});

test("Ctrl-C breaks a sequence that has begun", () => {
	for (const begun of ["[", "[1;", "O", "]0;x", "[<0;1"]) {
		const found = new InputDecoder().decode(`${ESC}${begun}\u0003`);
		if (begun === "]0;x") expect(found).toEqual([]);
		else expect(found.at(-1)).toEqual(key("\u0003"));
	}
});

test("memory stays bounded, whatever is sent", () => {
	const decoder = new InputDecoder();
	expect(decoder.decode(`${ESC}]${"x".repeat(10_000)}`)).toEqual([]);
	expect(decoder.holds).toBe("nothing");
	decoder.decode(`${ESC}[200~`);
	for (let part = 0; part < 40; part++) decoder.decode("x".repeat(MOST_PASTED / 20));
	const [pasted] = decoder.decode(`${ESC}[201~`);
	expect(pasted).toEqual({ ...paste("x".repeat(MOST_PASTED)), isCut: true });
	expect(decoder.decode(`${ESC}[200~y${ESC}[201~`)).toEqual([paste("y")]);
});
