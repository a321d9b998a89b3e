import { expect, test } from "vitest";
import type { Confinement } from "../../../../src/core/machine/sandbox.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { answerHint, describeAsked } from "../../../../src/view/words/question.ts";
import { describeSandbox } from "../../../../src/view/words/sandbox.ts";
import {
	describeBudget,
	describeSpending,
	describeUsage,
	describeUsageFully,
	formatUsedTokens,
} from "../../../../src/view/words/usage.ts";

test("what a service has not counted is said, and never shown as nothing", () => {
	const known = { ...NO_USAGE, input: 1200, output: 80 };
	expect([NO_USAGE, { ...NO_USAGE, uncounted: 1 }, known, { ...known, uncounted: 2 }].map(formatUsedTokens)).toEqual([
		"0",
		"?",
		"1.3k",
		"1.3k+?",
	]);
	expect(describeUsage({ ...known, uncounted: 1 }, null)).toBe(
		"1.2k in / 80 out plus 1 call the service did not count, cost unknown",
	);
	expect(describeUsageFully({ ...NO_USAGE, uncounted: 2 }, null)).toBe(
		"0 in / 0 out plus 2 calls the service did not count, cost unknown",
	);
	expect(describeBudget({ limit: "max-tokens", most: 5000, spent: null })).toBe("? of 5.0k tokens");
});

test("what was spent is told with the number of turns, and nothing is said of nothing", () => {
	const usage = { input: 200, output: 80, cacheRead: 900, cacheWrite: 100 };
	expect(describeSpending({ turns: 3, usage, costUsd: 0.0123 })).toBe(
		"3 turns, 1.2k in (900 cached, 100 written to the cache) / 80 out, $0.0123",
	);
	expect(describeSpending({ turns: 1, usage: NO_USAGE, costUsd: 0 })).toBe("1 turn");
	expect(describeSpending({ turns: 0, usage: NO_USAGE, costUsd: null })).toBe("0 turns, 0 in / 0 out, cost unknown");
});

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

const confinement = (changes: Partial<Confinement> = {}): Confinement => ({
	...{ mode: "workspace", network: "host", hosts: [] },
	mounts: [
		{ path: "/p", as: "write" },
		{ path: "/p/.git", as: "write" },
		{ path: "/q", as: "write" },
		{ path: "/h/.ssh", as: "hidden directory" },
	],
	...changes,
});

test.each([
	[{}, "workspace: writes to /p, /q and /tmp"],
	[{ mode: "read-only", mounts: [] }, "read-only: writes to /tmp"],
	[
		{
			mounts: [
				{ path: "/p", as: "write" },
				{ path: "/h/.npmrc", as: "read", isShown: true },
				{ path: "/h/.a", as: "read", isShown: true },
				{ path: "/h/.a", as: "hidden file" },
			],
		},
		"workspace: writes to /p and /tmp, reads /h/.npmrc",
	],
	[{ network: "none" }, "workspace: writes to /p, /q and /tmp, no network"],
	[{ network: "proxy", hosts: ["a.org", "*.b.org"] }, "workspace: writes to /p, /q and /tmp, network: a.org *.b.org"],
] as const)("%j", (changes, expected) => {
	expect(describeSandbox(confinement(changes))).toBe(expected);
});
