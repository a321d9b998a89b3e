import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import type { Agent } from "../../../../src/core/model/agent.ts";
import type { Asked } from "../../../../src/core/run/questions.ts";
import type { RunState } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import type { Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import {
	FIRST_UI,
	opened,
	TOP,
	turned,
	type UiState,
	withAnswering,
	withEntry,
	withFolds,
} from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { view } from "../../../../src/faces/dashboard/view.ts";
import { displayWidth } from "../../../../src/text/width/width.ts";
import { fieldWith } from "../../../../src/tui/editor/text-field.ts";
import { type OpenQuestion, turnedTo } from "../../../../src/tui/questions/open-question.ts";
import type { Size } from "../../../../src/tui/text/line.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { BUSY_AGENTS, pictureOf } from "../../../fixtures/busy-agents.ts";
import {
	agentEnded,
	answered,
	asked,
	BUSY_EVENTS,
	BUSY_RUN,
	calls,
	chain,
	joined,
	printed,
	ROOT_ENTRIES,
	replay,
	resulted,
	runEnded,
	runStarted,
	STARTED_AT,
	turnEnded,
	turnStarted,
	worksOn,
} from "../../../fixtures/dashboard-run.ts";
import { drawn } from "../../../fixtures/drawn-lines.ts";
import { type Recorded, transcriptOf } from "../../../fixtures/shown-transcript.ts";

const SIZES: readonly Size[] = [
	{ columns: 120, rows: 36 },
	{ columns: 80, rows: 24 },
	{ columns: 40, rows: 10 },
];

const ROOT_OUTPUT = [2, printed("src: 12 modules\nthree of them are big\n")] as const;

function transcriptIn(run: RunState, pieces: Recorded["pieces"] = []) {
	return transcriptOf("1", { entries: ROOT_ENTRIES, running: run.agents["1"], pieces, outputs: [ROOT_OUTPUT] });
}

function picture(changes: Partial<Picture> & { ui?: UiState } = {}): Picture {
	const run = changes.run ?? BUSY_RUN;
	const size = { columns: 80, rows: 24 };
	const now = STARTED_AT + 95_000;
	return {
		run,
		ui: FIRST_UI,
		transcript: transcriptIn(run),
		events: [],
		activity: NO_ACTIVITY,
		isLost: false,
		size,
		now,
		...changes,
	};
}

const wideRun = replay([
	runStarted("调查这个仓库 🌳 and report"),
	joined("1", 100, "调查这个仓库 🌳 and report"),
	...worksOn("1", 200, "grep -rn '中文字符' src | head -n 100000"),
]);
const wideHistory = transcriptOf("1", {
	entries: [
		asked("调查这个仓库 🌳 and report"),
		answered(1, [
			{ type: "text", text: "é́ combined, 日本語のテキストは幅が広いので折り返しが必要です。 👩‍💻 done" },
			calls("t", "ls 文档"),
		]),
		resulted(
			"t",
			1,
			"a\u001b[31mred\u001b[0m\u0007 file\nprogress 1%\rprogress 2%\n\ttabbed 漢字\n\n[exit status 2]",
			2,
		),
	],
});
const thinkingRun = replay([turnStarted("1", 90_000, 3)], BUSY_RUN);
const streaming = transcriptIn(BUSY_RUN, [
	{ turn: 3, delta: { kind: "thinking", text: "What do the reports say?" } },
	{ turn: 3, delta: { kind: "text", text: "The tree has three parts.\nAll of them " } },
	{ turn: 3, delta: { kind: "text", text: "are small." } },
]);
const failed = replay(
	[runEnded(95_000, { by: "failure", reason: "the model is out of reach (overloaded_error)", exitCode: 75 })],
	BUSY_RUN,
);

const ended = replay([...["1.1.1", "1.1", "1.2", "1"].map((id) => agentEnded(id, 94_000)), runEnded(95_000)], BUSY_RUN);

const repeating = replay(
	[{ event: "agent_repeats", at: STARTED_AT + 94_000, agent: "1.1", command: 5, times: 7 }],
	BUSY_RUN,
);

const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const bounds = { ...DEFAULT_LIMITS, maxBudgetUsd: 0.07, maxTokens: 2_000_000 };
const bounded = { ...BUSY_RUN, limits: bounds };
const root = BUSY_RUN.agents["1"] as Agent;
const boundedAgents = { ...BUSY_RUN.agents, "1": { ...root, limits: bounds, contextTokens: 621_000, compactions: 2 } };
const retry = (afterMs: number): RunEvent => ({
	...{ event: "turn_retrying", at: STARTED_AT + afterMs, agent: "1", turn: 3, attempt: 3, waitMs: 17_000 },
	...{ reason: "overloaded (overloaded_error)", usage: noUsage, costUsd: 0 },
});
const retrying = replay([retry(90_000)], thinkingRun);
const slowed: RunEvent = {
	...{ event: "calls_slowed", at: STARTED_AT + 90_000, reason: "rate limited (rate_limit_error)" },
	...{ waitMs: 17_000, maxCalls: 4 },
};
const short: RunEvent = { event: "shortage_began", at: STARTED_AT, what: "memory", reason: "8 % of memory is free" };
const unpriced = replay([{ ...turnEnded("1.2", 94_000), costUsd: null } as RunEvent], BUSY_RUN);
const noted = transcriptOf("1", {
	entries: [
		...ROOT_ENTRIES.slice(0, 2),
		{
			...{ role: "note", note: "call", at: STARTED_AT, turn: 2, outcome: "retried", reason: "overloaded\u001b[2J" },
			...{ usage: { ...noUsage, input: 900 }, costUsd: 0.0018 },
		},
		...ROOT_ENTRIES.slice(2, 3),
		{
			...{ role: "note", note: "compaction", at: STARTED_AT, turn: 2, how: "summary", keptMessages: 2 },
			...{ summary: "Asked to report.\nSeen: README.md, docs.", tokensBefore: 812_000, tokensAfter: 45_200 },
		},
		...ROOT_ENTRIES.slice(3),
		{ role: "note", note: "resumed", at: STARTED_AT, reason: "stopped: Ctrl-C" },
	],
});

const askedBy = (question: number, agent: string, what: Asked, why?: string): RunEvent => ({
	...{ event: "question_asked", at: STARTED_AT + 83_000, agent, question, what, ...(why !== undefined && { why }) },
});
const push: Extract<Asked, { is: "command" }> = {
	...{ command: "git push origin main", directory: "/work/project" },
	...{ is: "command", because: "the rule git push of the built-in rules", rule: "Bash(git push *)" },
};
const long: Asked = {
	...push,
	command: `set -e\ncd "$(git rev-parse --show-toplevel)" && npm run build -- --mode production --base /very/long/path/to/somewhere && git push --force-with-lease origin HEAD:refs/heads/main\nprintf 'done\u001b[2K\u202e'${"\necho one more line".repeat(20)}`,
};
const port: Asked = { is: "words", text: "Which port may it listen at?", choices: ["80", "8080", "any that is free"] };
const asking = replay([askedBy(1, "1.1.1", push, "the release is tagged"), askedBy(2, "1.2", port)], BUSY_RUN);
const askingLong = replay([askedBy(1, "1.1.1", long)], BUSY_RUN);
const answering = (run: RunState, number: number, changes: Partial<OpenQuestion> = {}) => {
	const question = run.questions?.find((one) => one.number === number);
	if (question === undefined) throw new Error("no such question");
	return picture({ run, ui: withAnswering(turned(FIRST_UI, question), { ...turnedTo(question), ...changes }) });
};

const CASES: Record<string, Picture> = {
	"without permissions": picture({ run: { ...BUSY_RUN, skipsPermissions: true } }),
	"without a sandbox": picture({
		run: { ...BUSY_RUN, noSandbox: "bwrap was not found: install the package bubblewrap (apt-get install bubblewrap)" },
	}),
	"a question to leave the sandbox": answering(
		replay([askedBy(3, "1.2", { ...push, is: "outside" } as Asked, "the keyring is not inside")], BUSY_RUN),
		3,
	),
	"an agent asks": picture({ run: asking }),
	"a question is open": answering(asking, 1),
	"a question with choices is open": answering(asking, 2, { at: 1 }),
	"a question about a long command is open": answering(askingLong, 1),
	"a question about a long command is scrolled": answering(askingLong, 1, { top: 5 }),
	"a no is written": answering(asking, 1, {
		writing: { as: "no", entry: { ...fieldWith("run the tests first"), cursor: 11 } },
	}),
	"a question was answered elsewhere": answering(asking, 1, { outcome: "Answered elsewhere: yes" }),
	busy: picture(),
	"nothing yet": picture({ run: replay([runStarted()]), transcript: emptyTranscript("1") }),
	folded: picture({ ui: { ...FIRST_UI, tree: withFolds(FIRST_UI.tree, ["1.1"], true), selected: "1.1.1" } }),
	help: picture({ ui: opened(FIRST_UI, "help") }),
	"help, moved down": picture({ ui: opened(FIRST_UI, "help", 30) }),
	question: picture({ ui: opened(FIRST_UI, "quit") }),
	"stop asked": picture({ ui: opened({ ...FIRST_UI, selected: "1.1" }, "stop") }),
	"freeze asked": picture({ ui: opened({ ...FIRST_UI, selected: "1.1" }, "freeze") }),
	message: picture({
		ui: withEntry(opened({ ...FIRST_UI, selected: "1.2" }, "message"), fieldWith("skip the slow\ntests")),
	}),
	"act answered": picture({
		ui: {
			...FIRST_UI,
			notice: { text: "1.1 src and 1 agent below are paused; p lets them go on", tone: "good", until: Infinity },
		},
	}),
	why: picture({ events: BUSY_EVENTS, ui: opened({ ...FIRST_UI, selected: "1.3" }, "why") }),
	"deep tree": picture({ run: chain(12), transcript: emptyTranscript("1"), ui: { ...FIRST_UI, selected: "1.1.1.1" } }),
	"wide characters": picture({ run: wideRun, transcript: wideHistory }),
	"wide characters, history": picture({
		run: wideRun,
		transcript: wideHistory,
		ui: { ...FIRST_UI, side: "transcript" },
	}),
	"streaming, followed": picture({
		run: thinkingRun,
		transcript: streaming,
		ui: { ...FIRST_UI, follow: { is: "on", since: 0 } },
	}),
	"streaming, history": picture({ run: thinkingRun, transcript: streaming, ui: { ...FIRST_UI, side: "transcript" } }),
	"scrolled to the top": picture({ ui: { ...FIRST_UI, side: "transcript", scroll: TOP } }),
	ended: picture({ run: ended }),
	"ended by a failure": picture({ run: failed }),
	"repeats itself": picture({ run: repeating }),
	lost: picture({ isLost: true }),
	retrying: picture({ run: retrying }),
	"retrying, tried again": picture({ run: replay([retry(70_000)], thinkingRun) }),
	"calls slowed": picture({ run: replay([slowed], BUSY_RUN) }),
	"calls no longer slowed": picture({ run: replay([{ ...slowed, at: STARTED_AT }], BUSY_RUN) }),
	shortage: picture({ run: replay([short], BUSY_RUN) }),
	suspended: picture({ isSuspended: true }),
	budgets: picture({ run: { ...bounded, agents: boundedAgents } }),
	usage: picture({
		run: { ...bounded, agents: boundedAgents },
		ui: opened(FIRST_UI, "usage"),
	}),
	timeline: pictureOf(BUSY_AGENTS, { ui: opened({ ...FIRST_UI, selected: "1.2" }, "timeline") }),
	events: pictureOf(BUSY_AGENTS, { ui: opened(FIRST_UI, "events") }),
	details: pictureOf(BUSY_AGENTS, { ui: opened({ ...FIRST_UI, selected: "1.2.1" }, "details") }),
	"price unknown": picture({ run: unpriced, ui: opened(FIRST_UI, "usage") }),
	notes: picture({ transcript: noted, ui: { ...FIRST_UI, side: "transcript" } }),
	"notes, from the top": picture({ transcript: noted, ui: { ...FIRST_UI, side: "transcript", scroll: TOP } }),
};

describe.each(SIZES)("at $columns×$rows", (size) => {
	test.each(Object.entries(CASES))("%s is shown as recorded", async (name, shown) => {
		const file = `screens/${name.replaceAll(/[^a-z]+/g, "-")}-${size.columns}x${size.rows}.txt`;
		await expect(drawn(view({ ...shown, size }))).toMatchFileSnapshot(file);
	});
});

test.each([1, 2, 5, 9, 10, 13, 14, 24, 60])("fills exactly %i rows, and every column of them, at any width", (rows) => {
	for (const shown of Object.values(CASES)) {
		for (const columns of [1, 2, 3, 10, 39, 40, 59, 60, 61, 80, 81, 200]) {
			const lines = view({ ...shown, size: { columns, rows } });
			expect(lines.length).toBe(rows);
			const widths = lines.map((line) => line.reduce((sum, { text }) => sum + displayWidth(text), 0));
			expect(new Set(widths)).toEqual(new Set([columns]));
		}
	}
});

test("a script is called by the name of its file", () => {
	const at = (model: string) => drawn(view(picture({ run: { ...BUSY_RUN, model } }))).split("\n")[0];
	expect(at("script:/opt/agentree/docs/demo.yaml")).toContain("  script:demo.yaml  ");
	expect(at("script:demo.yaml")).toContain("  script:demo.yaml  ");
	expect(at("vendor/claude")).toContain("  vendor/claude  ");
});

test("no control character of an agent reaches a line", () => {
	for (const shown of Object.values(CASES))
		for (const size of SIZES) expect(drawn(view({ ...shown, size })).replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test("with 500 agents the selected one is visible, wherever it is", () => {
	const ids = Array.from({ length: 499 }, (_, index) => `1.${index + 1}`);
	const run = replay([runStarted(), ...["1", ...ids].map((id) => joined(id, 100, id))]);
	for (const id of ["1", "1.1", "1.7", "1.250", "1.499"]) {
		const lines = view(picture({ run, transcript: emptyTranscript(id), ui: { ...FIRST_UI, selected: id } }));
		const selected = lines.filter((line) => line.some((piece) => piece.isSelected));
		expect(
			selected.map(
				(line) =>
					line
						.map(({ text }) => text)
						.join("")
						.match(/○ +(\d+) /)?.[1],
			),
		).toEqual([id.split(".").at(-1)]);
	}
});

test.each([49, 80, 120])(
	"on %i columns the title of a history has the state whole, however long the names above it are",
	(columns) => {
		// Seen to fail below 100 columns: the title was cut where the rule ends, three columns before its room.
		const agents = ["1", "1.1", "1.1.1", "1.1.1.1"].map((id) =>
			joined(id, 100, `a long name for the agent that is ${id}`),
		);
		const run = replay([runStarted(), ...agents, ...worksOn("1.1.1.1", 200, "sleep 600")]);
		const ui = { ...FIRST_UI, selected: "1.1.1.1", side: "transcript" };
		const shown = picture({ run, ui, transcript: emptyTranscript("1.1.1.1"), size: { columns, rows: 24 } });
		expect(drawn(view(shown))).toMatch(/[━─┏┌] 1\.1\.1\.1 [^\n]+… ─ running 1m31s /);
	},
);
