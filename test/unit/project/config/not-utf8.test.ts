import { expect, test } from "vitest";
import { bytesNotice, refuseOtherArguments, variablesNotUtf8 } from "../../../../src/project/config/not-utf8.ts";

/** A list as /proc has it; Latin-1 stands for bytes. */
const listed = (...items: string[]) => Buffer.from(items.map((item) => `${item}\0`).join(""), "latin1");
const UTF8 = Buffer.from("café \ufffd").toString("latin1");

test("an argument in another encoding is refused, one with a U+FFFD of its own is not", () => {
	expect(() => refuseOtherArguments(["run", "caf\ufffd x"], () => listed("node", "run", "caf\xe9 x"))).toThrow(
		'an argument is not valid UTF-8: "caf\ufffd x"',
	);
	expect(() => refuseOtherArguments(["café \ufffd"], () => listed("node", UTF8))).not.toThrow();
	expect(() => refuseOtherArguments(["a\ufffd"], () => undefined)).not.toThrow();
});

test("/proc is read only when something may be lost", () => {
	const read = () => {
		throw new Error("it was read");
	};
	refuseOtherArguments(["café", "日本"], read);
	expect(variablesNotUtf8({ A: "é", B: undefined }, read)).toEqual([]);
});

test("variables whose bytes are lost are named", () => {
	const environ = () => listed("A=x", "B=caf\xe9", `C=${UTF8}`, "D\xff=1");
	const env = { A: "x", B: "caf\ufffd", C: "café \ufffd", "D\ufffd": "1" };
	expect(variablesNotUtf8(env, environ)).toEqual(["B", "D\ufffd"]);
	expect(bytesNotice(env, environ)).toBe(
		"not valid UTF-8 in the environment: B, D\ufffd; commands get U+FFFD for the invalid bytes",
	);
	expect(bytesNotice({ A: "x" }, environ)).toBeUndefined();
});
