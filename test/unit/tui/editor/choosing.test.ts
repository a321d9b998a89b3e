import { expect, test } from "vitest";
import { type Completers, newEditor } from "../../../../src/tui/editor/editor.ts";
import { lineAfter, screenOf, type } from "./typing.ts";

const PATHS = ["README.md", "src/", "src/agent/", "src/chat/", "src/cli.ts", "my file.txt", "my dir/", "my dir/x y"];
const starting = (texts: readonly string[], typed: string) => texts.filter((text) => text.startsWith(typed));

const completers: Completers = {
	paths: (typed) =>
		starting(PATHS, typed)
			.filter((path) => !/./.test(path.slice(typed.length).replace(/^[^/]*\/?/, "")))
			.map((text) => (text.endsWith("/") ? { text, isPartial: true } : { text })),
	agents: (typed) => starting(["1", "1.1", "1.2"], typed).map((text) => ({ text })),
	commands: (typed) =>
		starting(["model", "compact", "context", "copy"], typed).map((text) => ({ text, note: `does ${text}` })),
	argumentsOf: (command, typed) =>
		(command === "role" ? starting(["code", "explore", "plan"], typed) : []).map((text) => ({ text })),
};
const after = (keys: string) => lineAfter(keys, [], { completers });

test.each([
	["see @REA<tab>", "see @README.md |"],
	["see @REA<tab>now", "see @README.md now|"],
	["@sr<tab>", "@src/|"],
	["@src/c<tab>", "@src/c|"],
	["@src/c<tab><tab>", "@src/chat/|"],
	["@src/c<tab><tab><tab>", "@src/cli.ts|"],
	["@src/c<tab><tab><tab><tab>", "@src/chat/|"],
	["@src/c<tab><shift-tab>", "@src/cli.ts|"],
	["@src/c<tab><tab>/", "@src/chat/|"],
	["@src/c<tab><tab>x", "@src/chat/x|"],
	["@src/c<tab><tab><enter>", "@src/chat/|"],
	["@src/c<tab><tab><tab><enter>", "@src/cli.ts |"],
	["@src/c<tab><tab><escape>", "@src/c|"],
	["@src/c<tab><tab><escape><ctrl-_>", "@src/chat/|"],
	["@my<tab>", '@"my |'],
	["@my<tab>f<tab>", '@"my file.txt" |'],
	['@"my d<tab>x<tab>', '@"my dir/x y" |'],
	["look at src/ch<tab>", "look at src/chat/|"],
	["nothing<tab>", "nothing|"],
	["@nothing<tab>", "@nothing|"],
	["!cat REA<tab>", "!cat README.md |"],
	["!!cat sr<tab>", "!!cat src/|"],
	["!sr<tab>", "!src/|"],
	["/mo<tab>", "/model |"],
	["/co<tab><tab><tab>", "/context|"],
	["/role ex<tab>", "/role explore |"],
	["/role @REA<tab>", "/role @README.md |"],
	["@1.2<tab>", "@1.2 |"],
	["see @1<tab><tab>", "see @1|"],
	["x @<tab><tab>", "x @README.md|"],
])("%s gives %s", (keys, line) => {
	expect(after(keys)).toBe(line);
});

test("choices are listed below, with what they do, and the list is bounded", () => {
	const { editor } = type(newEditor([]), "/co<tab>", { completers });
	expect(screenOf(editor).map((row) => row.trimEnd())).toEqual([
		"> /co",
		"compact  does compact",
		"context  does context",
		"copy     does copy",
	]);
	expect(screenOf(editor, 40, 4).map((row) => row.trimEnd())).toEqual(["> /co", "compact  does compact", "… 2 more"]);
	const many: Completers = { ...completers, paths: () => Array.from({ length: 200 }, (_, n) => ({ text: `f${n}` })) };
	const rows = screenOf(type(newEditor([]), "@f<tab>", { completers: many }).editor, 20, 10);
	expect(rows.map((row) => row.trimEnd())).toEqual([
		"> @f",
		"f0    f1    f2",
		"f3    f4    f5",
		"f6    f7    f8",
		"f9    f10   f11",
		"… 188 more",
	]);
});

test("Escape closes the list before it interrupts", () => {
	expect(type(newEditor([]), "/co<tab><escape>", { completers }).effects).toEqual([]);
	expect(type(newEditor([]), "/co<tab><escape><escape>", { completers }).effects).toEqual([{ is: "interrupt" }]);
});

test("hostile lines cost Tab little", () => {
	const started = performance.now();
	for (const one of [" @", ",@", '"', "/", "a b "])
		type(
			newEditor([]),
			[
				{ is: "text", text: one.repeat(900) },
				...Array(20).fill({ is: "text", text: one.repeat(450) }),
				{ is: "key", name: "tab" },
			],
			{ completers },
		);
	expect(performance.now() - started).toBeLessThan(5_000);
});
