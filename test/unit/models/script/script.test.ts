import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { openScript, playScript } from "../../../../src/models/script/script.ts";
import { parseScript, SCRIPT_BOUNDS } from "../../../../src/models/script/script-file.ts";
import { afterCommand, asksWith, FIRST, fakeCall } from "../../../fixtures/fake-call.ts";

const slept: number[] = [];
const play = (yaml: string) =>
	playScript("script:s.yaml", parseScript(yaml, "s.yaml"), async (ms) => {
		slept.push(ms);
	});
const one = (turns: string) => play(`agents:\n  - turns:\n${turns.replace(/^/gm, "      ")}`);

test("a turn thinks, says and runs, with the placeholders filled in, also inside commands", async () => {
	const model = one(
		'- think: "about {{task}}"\n  say: "I am {{agent}}"\n  run: ["echo {{output}}", {command: "agent {{task}}", timeout: 0.5}]\n  usage: {input: 12, output: 3, cacheRead: 4, cacheWrite: 5}',
	);
	const call = fakeCall({ agent: "1.2", task: "$& x" });
	expect(await model.ask(asksWith(afterCommand("$1 out")), call)).toEqual({
		is: "reply",
		content: [
			{ type: "thinking", thinking: "about $& x", signature: "script-1.2-1" },
			{ type: "text", text: "I am 1.2" },
			{ type: "tool_use", id: "toolu_1-2_1_1", name: "bash", input: { command: "echo $1 out" } },
			{ type: "tool_use", id: "toolu_1-2_1_2", name: "bash", input: { command: "agent $& x", timeout: 0.5 } },
		],
		stopReason: "tool_use",
		usage: { input: 12, output: 3, cacheRead: 4, cacheWrite: 5 },
		model: "script:s.yaml",
	});
});

// Seen to fail with "Invalid string length" when only the text of the file was counted.
test("a repeated text that grows by what is put in stays within the bound", async () => {
	const model = one('- say: { repeat: "{{task}}", times: 10000000 }');
	const outcome = await model.ask(asksWith(FIRST), fakeCall({ task: "x".repeat(60_000_000) }));
	const [said] = outcome.is === "reply" ? outcome.content : [];
	expect(said?.type === "text" && said.text.length).toBe(60_000_000);
});

test("a delay spreads the answer over its whole time in pieces that never cut a character", async () => {
	slept.length = 0;
	const call = fakeCall();
	await one("- think: 🙂🙂🙂🙂\n  say: 🙂🙂🙂🙂🙂🙂\n  run: ls\n  delay: 600ms").ask(asksWith(FIRST), call);
	expect(slept.length).toBeGreaterThan(3);
	expect(slept.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(600);
	const text = (kind: string) => call.deltas.filter((delta) => delta.kind === kind).map((delta) => delta.text);
	expect(text("thinking").join("")).toBe("🙂".repeat(4));
	expect(text("text").join("")).toBe("🙂".repeat(6));
	expect(text("command")).toEqual(["ls"]);
	expect(call.deltas.filter((delta) => /\p{Surrogate}/u.test(delta.text))).toEqual([]);
});

test("an error with a number of times may be tried again so often; then the turn is played that stands beside it", async () => {
	const model = one("- { error: { status: 529, message: Overloaded, times: 2 }, say: there }");
	const tries = await Promise.all([1, 2, 3].map((attempt) => model.ask(asksWith(FIRST), fakeCall({ attempt }))));
	const failed = {
		is: "failure",
		exitCode: 75,
		reason: "Overloaded (HTTP 529 api_error)",
		retry: { isRateLimit: false },
	};
	expect(tries).toMatchObject([failed, failed, { is: "reply", content: [{ type: "text", text: "there" }] }]);
});

test("a request that the service would refuse is refused in its words", async () => {
	const outcome = await one("- say: a").ask(asksWith(afterCommand("x").slice(0, 2)), fakeCall());
	expect(outcome).toMatchObject({
		exitCode: 1,
		reason: expect.stringMatching(/^messages\.1: `tool_use` ids were found.*\(agent 1, turn 1, script s\.yaml\)$/),
	});
});

test.each([
	["agents:\n  - turns: [\n", /^s\.yaml:3:1: /],
	["agents:\n  - turns:\n      - sya: x\n", /^s\.yaml:3:9: unknown key "sya"; known here: think, say/],
	["agents:\n  - turns:\n      - say: [x]\n", /^s\.yaml:3:14: a text is expected$/],
	["agents:\n  - turns:\n      - run: ls\n        delay: 5\n", /^s\.yaml:4:16: a time such as 800ms/],
	["agents:\n  - turns: []\n", /^s\.yaml:2:12: no turns in it$/],
	["agents:\n  - task: x\n", /^s\.yaml:2:5: `turns` is missing$/],
	["agents:\n  - turns: [{say: a}]\n    after: stop\n", /^s\.yaml:3:12: "stop" is neither fail nor repeat$/],
	[
		"agents:\n  - turns:\n      - say: { repeat: ab, times: 1000000000000 }\n",
		/^s\.yaml:3:35: at most 100000000 characters are allowed; this is 2 × 1000000000000$/,
	],
	["agents:\n  - task: /(/\n    turns: [{say: a}]\n", /^s\.yaml:2:11: Invalid regular expression/],
	["agents:\n  - turns:\n      - say: a\n        usage: { input: -1 }\n", /^s\.yaml:4:25: a whole number/],
	["agents:\n  - turns:\n      - say: a\n        error: { status: 500 }\n", /^s\.yaml:4:16: a turn with `error`/],
	["agents:\n  - turns:\n      - error: { status: 500, times: 1 }\n", /^s\.yaml:3:9: the turn is empty/],
	["agents:\n  - turns:\n      - delay: 1s\n", /^s\.yaml:3:9: .*empty/],
	["agents:\n  - turns:\n      - calls: [{ name: x, input: &a [*a] }]\n", /^s\.yaml:3:\d+: plain data is expected$/],
	["other: 1\n", /^s\.yaml:1:1: unknown key "other"; known here: agents$/],
	["", /^s\.yaml:1:1: a mapping with agents is expected$/],
	["agents: []\n", /^s\.yaml: no agents in it$/],
	["agents:\n  - turns: [{say: a}]\n  - turns: [{say: a, say: b}]\n", /^s\.yaml:3:22: .*unique/],
])("what is wrong in a file is told in one line with line and column: %j", (yaml, words) => {
	expect(() => parseScript(yaml, "s.yaml")).toThrow(
		expect.objectContaining({ code: "script", message: expect.stringMatching(words) }),
	);
	expect(() => parseScript(yaml, "s.yaml")).not.toThrow(/\n/);
});

test("what is no regular file, or a too large one, is refused as a script: nobody waits for it, nothing is filled with it", async () => {
	const directory = await mkdtemp(join(tmpdir(), "agentree-script-"));
	onTestFinished(() => rm(directory, { recursive: true }));
	await writeFile(join(directory, "large.yaml"), "");
	await truncate(join(directory, "large.yaml"), SCRIPT_BOUNDS.maxBytes + 1);
	execFileSync("mkfifo", [join(directory, "fifo")]);
	for (const [file, why] of [
		["/dev/zero", "it is not a regular file"],
		[join(directory, "fifo"), "it is not a regular file"],
		[directory, "it is a directory"],
		[join(directory, "large.yaml"), "it has more than 16 MiB"],
	] as const)
		expect(() => openScript("script:x", file)).toThrow(
			new AgentreeError("script", `cannot read the script ${file}: ${why}`),
		);
});

test("the example of the documentation is a script", async () => {
	const page = await readFile(new URL("../../../../docs/scripts.md", import.meta.url), "utf8");
	const example = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? "";
	expect(parseScript(example, "docs").agents.map(({ turns }) => turns.length)).toEqual([2, 2]);
});

test("a summary is the script's own, or made by code, and takes none of the turns", async () => {
	const asked = (model: ReturnType<typeof play>, path = "1") => {
		const call = fakeCall({ agent: path, kind: "compaction", turn: 7 });
		return model.ask({ ...asksWith(afterCommand("x")), mayUseTools: false }, call);
	};
	const said = (text: string, stopReason = "end_turn", usage = NO_USAGE) => ({
		...{ is: "reply", content: text === "" ? [] : [{ type: "text", text }], stopReason, usage, model: "script:s.yaml" },
	});
	const model = play(`agents:
  - { path: "1", compaction: "3 files for {{agent}}", turns: [{ say: a }] }
  - { path: "1.1", compaction: { say: "and th", stop: max_tokens, usage: { output: 9 } }, turns: [{ say: a }] }
  - { path: "1.2", compaction: { error: { status: 400, message: "prompt is too long: 12 tokens > 9 maximum" } }, turns: [{ say: a }] }
  - { path: "1.3", compaction: "", turns: [{ say: a }] }
  - { turns: [{ say: a }] }
`);
	expect(await asked(model)).toEqual(said("3 files for 1"));
	expect(await asked(model, "1.1")).toEqual(said("and th", "max_tokens", { ...NO_USAGE, output: 9 }));
	expect(await asked(model, "1.2")).toMatchObject({ is: "failure", exitCode: 1, contextFull: {} });
	expect(await asked(model, "1.3")).toEqual(said(""));
	expect(await asked(model, "1.4")).toEqual(said("1 commands were run. The newest: x"));
});
