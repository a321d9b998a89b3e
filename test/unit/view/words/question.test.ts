import { expect, test } from "vitest";
import { answerHint, describeAsked } from "../../../../src/view/words/question.ts";

const asked = (command: string) =>
	describeAsked({ is: "command", command, directory: "/work", because: "the rule Bash(rm *) of the command line" });

test("what would leave the sandbox says so in capitals, and what would be more in the sandbox names it", () => {
	const what = { is: "outside", command: "npm publish", directory: "/work" } as const;
	expect(describeAsked(what)).toBe("run OUTSIDE the sandbox, as you: npm publish? (in /work)");
	expect(describeAsked({ ...what, write: ["/data"], hosts: ["example.org"] })).toBe(
		"run in its sandbox, with /data WRITABLE and example.org REACHABLE: npm publish? (in /work)",
	);
	expect(answerHint({ number: 3, what })).toBe('agent answer 3 allow, no "words", or stop');
	expect(answerHint({ number: 3, what: { ...what, rule: "Bash(npm publish)" } })).toBe(
		'agent answer 3 allow, always (Bash(npm publish)), no "words", or stop',
	);
});

test.each([
	["a line end", "echo a\n\n  rm -rf b\n", "echo a ⏎ rm -rf b"],
	["a gap", `echo a;${" ".repeat(200)}rm -rf b`, "echo a; ⟨200 spaces⟩ rm -rf b"],
	["what a terminal obeys", "echo a\x1b[8m; rm -rf b\x1b[0m", "echo a␛[8m; rm -rf b␛[0m"],
	["a sequence that takes up text", "\x1b]0; rm -rf b\x07", "␛]0; rm -rf b␇"],
	["text that runs backwards", "echo \u202eb fr- mr", "echo ⟨U+202E⟩b fr- mr"],
	["a carriage return", "rm -rf b\recho a    ", "rm -rf b␍echo a"],
])("nothing of a command stays unseen behind %s", (_, command, shown) => {
	expect(asked(command)).toBe(`run ${shown}? (the rule Bash(rm *) of the command line)`);
});
