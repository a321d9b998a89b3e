import { expect, test } from "vitest";
import { partialCommandReader } from "../../../../src/models/service/partial-command.ts";
import { cpuMs } from "../../cpu-ms.ts";

const COMMAND = 'printf "a\\n\\tb" \\\\ # é 🙂 \u0007 "command": "no"\n';
const asPython = (json: string) =>
	json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

const readAll = (json: string, size: number) => {
	const read = partialCommandReader();
	const pieces: string[] = [];
	for (let from = 0; from < json.length; from += size) pieces.push(read(json.slice(from, from + size)));
	return pieces;
};

test.each([1, 2, 3, 5, 7, 1000])("a command cut into pieces of %i comes out whole, each character whole", (size) => {
	const json = JSON.stringify({ description: 'say "command": "x"', timeout: 9, command: COMMAND, last: "z" });
	for (const written of [json, asPython(json), json.replace(/(?<!\\)":/g, '" : ')]) {
		const pieces = readAll(written, size);
		expect(pieces.join("")).toBe(COMMAND);
		expect(pieces.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
	}
});

test("text is given as soon as it can be decoded", () => {
	const read = partialCommandReader();
	expect(['{"com', 'mand":"ls', " -l", "\\", "n", "\\ud83d\\u", 'de42"', ',"x":"y"}'].map(read)).toEqual([
		"",
		"ls",
		" -l",
		"",
		"\n",
		"",
		"🙂",
		"",
	]);
});

test("JSON without a command, or broken JSON, gives nothing more and never throws", () => {
	expect(readAll('{"other":"x"}', 4).join("")).toBe("");
	expect(readAll('{"command":["x"]}', 4).join("")).toBe("");
	expect(readAll('{"command":"a\\q\u0001b"}', 100).join("")).toBe("");
});

test.each(['{"other":"', '{"command":"\\ud83d'])(
	"four megabytes behind %s take time in proportion to them",
	(begin) => {
		// Seen to fail (44 s) with all that had come searched anew for each piece.
		const read = partialCommandReader();
		read(begin);
		const readOn = () => {
			for (let n = 0; n < 40_000; n++) read("x".repeat(100));
		};
		expect(cpuMs(readOn)).toBeLessThan(10_000);
	},
);
