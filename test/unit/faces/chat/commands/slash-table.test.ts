import { expect, test } from "vitest";
import type { RunEvent } from "../../../../../src/core/run/run-event.ts";
import { SLASH_COMMANDS } from "../../../../../src/faces/chat/commands/slash-commands.ts";
import { readSubmitted } from "../../../../../src/faces/chat/update.ts";
import { ended, joined } from "../../../core/run-of.ts";
import { Chat, WAITING, WORKING } from "../chat-of.ts";

test("no two slash commands share a word", () => {
	const words = SLASH_COMMANDS.flatMap(({ word, synonyms = [] }) => [word, ...synonyms]);
	expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
	expect(words.filter((word) => !/^[a-z?][a-z-]*$/.test(word))).toEqual([]);
});

test.each(["help", "clear", "exit", "usage"])("/%s, as people know it from elsewhere, is a command", (word) => {
	expect(SLASH_COMMANDS.some((row) => row.word === word || row.synonyms?.includes(word))).toBe(true);
});

test.each([
	{ text: "/help", is: "slash" },
	{ text: " /Quit ", is: "slash" },
	{ text: "/?", is: "slash" },
	{ text: "/etc/hosts is odd", is: "message" },
	{ text: "/ what", is: "message" },
	{ text: "look at /help", is: "message" },
	{ text: "!ls", is: "local" },
	{ text: "!!ls", is: "local" },
	{ text: "! ", is: "message" },
	{ text: "@1 hello", is: "to_agent" },
	{ text: "@1.2", is: "message" },
	{ text: "@1.0 x", is: "message" },
	{ text: "", is: "nothing" },
])("$text is read as $is", ({ text, is }) => {
	expect(readSubmitted(text).is).toBe(is);
});

test.each([
	{ text: "/tmp is full", isMessage: true },
	{ text: "/tmp", isMessage: true },
	{ text: "/Tmp is full", isMessage: false },
	{ text: "/nosuch is full", isMessage: false },
	{ text: "/help", isMessage: false }, // a command goes before what is called so
])("$text is a message: $isMessage", ({ text, isMessage }) => {
	const { effects } = new Chat(...WAITING).say(text);
	expect(effects.some((effect) => JSON.stringify(effect).includes(`"text":"${text}"`) && effect.do === "send")).toBe(
		isMessage,
	);
});

test.each(["/limits max-turns 7", "/agnets", "/fix 12", "/btw why?", "/quit"])(
	"%s is shown before what comes of it",
	(text) => {
		const [remembered, shown, ...others] = new Chat(...WAITING).say(` ${text} `).effects;
		expect([remembered, shown]).toEqual([
			{ do: "remember", text: ` ${text} ` },
			{ do: "echo", text },
		]);
		expect(others).not.toEqual([]);
	},
);

// Seen to fail: it stayed in the line, and what was typed next was added to it.
test("an unknown command is told with the nearest one, and leaves the line", () => {
	const chat = new Chat(...WAITING).say("/agnets");
	expect(chat.did()).toEqual([
		{
			do: "tell",
			told: [{ text: "unknown command /agnets; did you mean /agents?; see /help", tone: "bad" }],
		},
	]);
	expect(new Chat(...WAITING).say("/perm").told()).toMatch(/did you mean \/permissions\?/);
	expect(new Chat(...WAITING).say("/zzzzz").told()).toBe("unknown command /zzzzz; see /help");
});

test("a command says what it takes, and what it is for", () => {
	expect(new Chat(...WAITING).say("/agents all").told()).toBe("/agents takes no arguments");
	expect(new Chat(...WAITING).say("/stop").told()).toBe("/stop needs <agent>");
	expect(new Chat().say("/agents").told()).toBe("/agents needs a running chat: send a message first");
});

test("/help lists all commands with their synonyms, and one command alone", () => {
	const all = new Chat().say("/help").told();
	for (const { word, help } of SLASH_COMMANDS) {
		expect(all).toContain(`/${word}`);
		expect(all).toContain(help);
	}
	const [begin] = new Chat().say("/help").did();
	if (begin?.do !== "tell") throw new Error("/help tells nothing");
	for (const { text, hang } of begin.told.filter(({ text }) => text !== ""))
		expect(text.slice(0, hang), text).toMatch(/ {2}$/); // a long row goes on below its words
	expect(new Chat().say("/help exit").told()).toMatch(/^\/quit {2}.*\(also \/exit, /);
	expect(new Chat().say("/help nothing").told()).toBe("unknown command /nothing; see /help");
});

test("/agents lists the agents below, those that are over dimmed", () => {
	const chat = new Chat(...WORKING, joined("1.1"), joined("1.1.1"), ended("1.1.1"), joined("1.2")).say("/agents");
	const [effect] = chat.did();
	expect(effect).toMatchObject({
		do: "tell",
		told: [
			{ text: expect.stringMatching(/^1\.1 {2}task of 1\.1 /), tone: "plain" },
			{ text: expect.stringMatching(/^ {2}1\.1\.1 {2}task of 1\.1\.1/), tone: "dim" },
			{ text: expect.stringMatching(/^1\.2 {2}task of 1\.2/), tone: "plain" },
		],
	});
});

test("/stop stops an agent and all below it, but not the one that one talks with", () => {
	expect(new Chat(...WORKING, joined("1.1")).say("/stop 1.1").sent()).toMatchObject([
		{ say: "stop_agent", agent: "1.1", isHurry: false },
	]);
	expect(new Chat(...WORKING).say("/stop 1").told()).toMatch(/^to interrupt the agent: Esc/);
	expect(new Chat(...WORKING).say("/stop 1.9").told()).toBe("no agent 1.9: see /agents");
	expect(new Chat(...WORKING, joined("1.1"), ended("1.1")).say("/kill 1.1").told()).toBe("agent 1.1 has already ended");
});

test("/pause and /continue take the whole run, or an agent", () => {
	expect(new Chat(...WORKING).say("/pause").sent()).toEqual([{ say: "pause", agent: "1", isHard: false }]);
	expect(new Chat(...WORKING, joined("1.1")).say("/continue @1.1").sent()).toEqual([{ say: "continue", agent: "1.1" }]);
});

test("a pause and its end are told once, by their events; how it ends stands below the prompt for a while", () => {
	const chat = new Chat(...WORKING, joined("1.1")).say("/pause");
	chat.did();
	const hint = (text: string) => [{ do: "hint", text, forMs: 4_000 }];
	const paused = { say: "paused", agent: "1", agents: 2, processes: 0 } as const;
	expect(chat.hear(paused).did()).toEqual(hint("to continue all 2: /continue"));
	chat.say("/continue").did();
	expect(chat.hear({ say: "continued", agent: "1", agents: 2 }).did()).toEqual([]);
	chat.say("/pause 1.1").did();
	expect(chat.hear({ ...paused, agent: "1.1", agents: 1 }).did()).toEqual(hint("to continue: /continue 1.1"));
	chat.say("/continue").did();
	expect(chat.hear({ say: "continued", agent: "1", agents: 0 }).told()).toBe("nothing was paused");
});

test("/pause of what is paused already says so, and asks for nothing", () => {
	const paused: RunEvent = { event: "agent_paused", at: 4000, agent: "1", from: null };
	const chat = new Chat(...WORKING, joined("1.1"), paused).say("/pause 1.1");
	expect(chat.effects.some((effect) => effect.do === "send")).toBe(false);
	expect(chat.told()).toBe("agent 1.1 is already paused; to continue: /continue");
	expect(chat.say("/pause").told()).toBe("everything is already paused; to continue: /continue");
});

test("/new leaves the conversation for another one, and asks where agents are alive", () => {
	const chat = new Chat(...WAITING).say("/clear");
	expect(chat.sent()).toEqual([{ say: "close" }]);
	expect(chat.state.link).toMatchObject({ is: "ending", by: "close", after: { is: "new" } });
	expect(new Chat(...WORKING).say("/new").state.question).toMatchObject({ is: "leaving", after: { is: "new" } });
});

test("/cost tells of all agents and of each model", () => {
	const text = new Chat(...WORKING, { ...joined("1.1"), model: "opus" } as ReturnType<typeof joined>)
		.say("/usage")
		.told();
	expect(text).toMatch(
		/^agent 1 alone: 1 turn\nall 2 agents: 1 turn\n {2}shell: 0 in \/ 0 out\n {2}opus: 0 in \/ 0 out/,
	);
});

// Seen to fail: it said that nothing is ever asked.
test("/permissions says what a person is asked about before a command runs", () => {
	expect(new Chat().say("/permissions").told()).toMatch(
		/asks before git push.* and commands your rules name; .*change with --ask/,
	);
});

test("/permissions says what the sandbox is like, and that there is none", () => {
	expect(new Chat().say("/permissions").told()).toMatch(/without a sandbox: they can do everything you can/);
	const events = WAITING.map((event) =>
		event.event === "agent_joined" ? { ...event, sandbox: "workspace: …" } : event,
	);
	expect(new Chat(...events).say("/permissions").told()).toMatch(/^commands run in a sandbox \(workspace: …\)/);
});

// Seen to fail: it said that there is no sandbox.
test("before the first message /permissions says what sandbox the run will have", () => {
	const before = new Chat().with({ sandboxMode: "workspace" });
	expect(before.say("/permissions").told()).toMatch(
		/^commands will run in a sandbox \(workspace: writes to this project and \/tmp\); they can read everything else except/,
	);
	const without = new Chat(...WAITING).with({ sandboxMode: "workspace" }); // the run, once it is there, says what it has
	expect(without.say("/permissions").told()).toMatch(/without a sandbox: they can do everything you can/);
});

test("/thinking turns on and off what is shown", () => {
	const chat = new Chat(...WAITING).say("/thinking");
	expect(chat.did()).toContainEqual({ do: "show_thinking", isShown: true });
	expect(chat.say("/thinking").did()).toContainEqual({ do: "show_thinking", isShown: false });
	expect(chat.say("/thinking off").did()).toContainEqual({ do: "show_thinking", isShown: false });
});

test("/expand shows the newest command's output, or that of a number", () => {
	expect(new Chat(...WAITING).say("/expand 3").did()).toEqual([{ do: "expand", command: 3 }]);
	expect(new Chat(...WAITING).say("/expand").told()).toBe("no such command");
});

test("/btw asks beside the conversation, and a question that was not taken is a draft again", () => {
	const chat = new Chat(...WORKING).say("/btw what is a monad?");
	expect(chat.sent()).toEqual([{ say: "aside", agent: "1", text: "what is a monad?" }]);
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
	expect(chat.hear({ say: "aside_answer", agent: "1", text: "A monoid.", usage, costUsd: 0.5 }).told()).toBe(
		"A monoid.\nside question: $0.5000",
	);
	chat.say("/btw and now?").did();
	expect(chat.hear({ say: "refused", reason: "no" }).did()).toContainEqual({ do: "put_back", text: "/btw and now?" });
});

test("/compact asks for a summary, with what is to be kept", () => {
	expect(new Chat(...WAITING).say("/compact").sent()).toEqual([{ say: "compact", agent: "1" }]);
	expect(new Chat(...WAITING).say("/compact the names").sent()).toEqual([
		{ say: "compact", agent: "1", keep: "the names" },
	]);
});

test("/context asks what fills the window", () => {
	expect(new Chat(...WAITING).say("/context").sent()).toEqual([{ say: "context", agent: "1" }]);
});
