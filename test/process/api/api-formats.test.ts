/** json and stream-json: what programs read from stdout, line by line, and what happens when they stop reading. */
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits/limits.ts";
import { type Program, startLine } from "../program.ts";
import { endOf, runs, says, startApiRun } from "./api-run.ts";

const CALL = runs("toolu_1", 'agent --model claude-haiku-4-5 "count"');
const THOUGHT = { type: "thinking", thinking: "", signature: "c2ln" };
const TREE = {
	look: [
		{ content: [THOUGHT, CALL], usage: { input: 1000, output: 200, cacheRead: 3000, cacheWrite: 400 } },
		{ content: [says("done")], usage: { input: 500, output: 10 } },
	],
	count: [{ content: [says("one")], usage: { input: 1000, output: 100 } }],
};
// Dollars per million tokens: claude-sonnet-5-5 2 · 10, cache 2.50 and 0.20; claude-haiku-4-5 1 · 5.
const ROOT_USD = (1000 * 2 + 200 * 10 + 400 * 2.5 + 3000 * 0.2 + 500 * 2 + 10 * 10) / 1e6;
const CHILD_USD = (1000 * 1 + 100 * 5) / 1e6;

test("json is one object: the answer, what it cost by the price list, and how it ended", async () => {
	const { program } = await startApiRun(TREE, ["--output-format", "json", "look"]);
	const { exit, stdout, stderr } = await endOf(program);
	expect([exit, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
	const { agent_usage, ...result } = JSON.parse(stdout);
	// biome-ignore lint/suspicious/noExplicitAny: compared as a whole
	expect(agent_usage.map((used: any) => [used.agent_id, used.usage.input_tokens, used.subtree.agents])).toEqual([
		["1", 1500, 2],
		["1.1", 1000, 1],
	]);
	expect(agent_usage[0].subtree).toMatchObject({ usage: result.usage, total_cost_usd: result.total_cost_usd });
	expect(result).toEqual({
		...resultOf(program),
		errors: [],
		modelUsage: {
			"claude-sonnet-5-5": {
				...{ inputTokens: 1500, outputTokens: 210, cacheReadInputTokens: 3000, cacheCreationInputTokens: 400 },
				costUSD: expect.closeTo(ROOT_USD, 9),
			},
			"claude-haiku-4-5": {
				...{ inputTokens: 1000, outputTokens: 100, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
				costUSD: expect.closeTo(CHILD_USD, 9),
			},
		},
		result: "done",
		subtype: "success",
		is_error: false,
		ending: { by: "answer" },
		exit_code: 0,
		num_turns: 2,
		total_turns: 3,
		agents: 2,
		total_cost_usd: expect.closeTo(ROOT_USD + CHILD_USD, 12),
		usage: {
			input_tokens: 2500,
			output_tokens: 310,
			cache_read_input_tokens: 3000,
			cache_creation_input_tokens: 400,
		},
	});
});

test("stream-json has all agents' messages, each with its place in the tree, init first and the result last", async () => {
	const { program } = await startApiRun(TREE, ["--output-format", "stream-json", "look"]);
	const { exit, stdout, stderr } = await endOf(program);
	expect([exit, stderr, stdout.endsWith("\n")]).toEqual([0, "", true]);
	const all = linesOf(stdout);
	const lines = all.filter(({ type }) => type !== "stream_event");
	expect(piecesOf(all, "1", 1)).toBe(JSON.stringify(CALL.input));
	expect([piecesOf(all, "1.1", 1), piecesOf(all, "1", 2)]).toEqual(["one", "done"]);
	for (const [at, { agent_id, type, turn }] of all.entries()) {
		const answers = all.slice(0, at).filter((line) => line.type === "assistant" && line.agent_id === agent_id).length;
		if (type === "stream_event") expect(turn).toBe(answers + 1); // no piece comes after its message
	}
	expect(lines.map(({ type, subtype, agent_id }) => [type, subtype, agent_id])).toEqual([
		["system", "init", "1"],
		["user", undefined, "1"],
		["assistant", undefined, "1"],
		["system", "agent_started", "1.1"],
		["user", undefined, "1.1"],
		["assistant", undefined, "1.1"],
		["system", "agent_ended", "1.1"],
		["user", undefined, "1"],
		["assistant", undefined, "1"],
		["system", "agent_ended", "1"],
		["result", "success", "1"],
	]);
	const pids = new Map(program.events().flatMap((e) => (e.event === "agent_joined" ? [[e.agent, e.pid]] : [])));
	const [root, child] = ["1", "1.1"].map((agent) => ({
		session_id: runOf(program),
		agent_id: agent,
		parent_agent_id: agent === "1" ? null : "1",
		depth: agent === "1" ? 0 : 1,
		pid: pids.get(agent),
	}));
	for (const line of lines) expect(line).toMatchObject(line.agent_id === "1" ? { ...root } : { ...child });
	expect(lines[0]).toEqual({
		type: "system",
		subtype: "init",
		cwd: program.home,
		tools: ["bash"],
		model: "claude-sonnet-5-5",
		task: "look",
		limits: DEFAULT_LIMITS,
		version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
		...root,
	});
	expect(lines[2]).toEqual({
		type: "assistant",
		message: {
			id: "msg_fake_1",
			type: "message",
			role: "assistant",
			model: "claude-sonnet-5-5",
			content: [THOUGHT, CALL],
			stop_reason: "tool_use",
			stop_sequence: null,
			usage: {
				input_tokens: 1000,
				output_tokens: 200,
				cache_read_input_tokens: 3000,
				cache_creation_input_tokens: 400,
			},
		},
		parent_tool_use_id: null,
		...root,
	});
	expect(lines[5]?.message).toMatchObject({ model: "claude-haiku-4-5", content: [says("one")] });
	expect(lines[7]).toEqual({
		type: "user",
		message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "one\n" }] },
		parent_tool_use_id: null,
		...root,
	});
	expect(lines.at(-1)).toMatchObject({ ...resultOf(program), result: "done", num_turns: 2, total_turns: 3 });
});

test("a run that fails or meets a limit has a result that says so, and one line on stderr", async () => {
	const failing = await startApiRun({ look: [{ content: [says("half")], stopReason: "refusal" }] }, [
		"--output-format",
		"stream-json",
		"look",
	]);
	const failed = await endOf(failing.program);
	expect([failed.exit, failed.stderr]).toEqual([1, "agent 1: failure: the model refused (refusal)\n"]);
	expect(linesOf(failed.stdout).at(-1)).toMatchObject({
		subtype: "error_during_execution",
		is_error: true,
		result: "half",
		ending: { by: "failure", reason: "the model refused (refusal)", exitCode: 1 },
		exit_code: 1,
	});
	const answers = { look: [{ content: [runs("toolu_1", "echo one")] }, { content: [says("so far")] }] };
	const limited = await startApiRun(answers, ["--output-format", "json", "--max-turns", "1", "look"]);
	const met = await endOf(limited.program);
	expect([met.exit, met.stderr]).toEqual([3, "agent 1: limit: turn limit reached (max-turns 1)\n"]);
	expect(JSON.parse(met.stdout)).toMatchObject({
		subtype: "error_max_turns",
		is_error: true,
		result: "so far",
		ending: { by: "limit", limit: "max-turns" },
		exit_code: 3,
	});
});

test("a model whose price is not known has no cost, rather than none to pay", async () => {
	const { program } = await startApiRun({ look: [{ content: [says("done")] }] }, [
		"--output-format",
		"json",
		"--model",
		"claude-next-9",
		"look",
	]);
	const { exit, stdout } = await endOf(program);
	expect([exit, JSON.parse(stdout).total_cost_usd]).toEqual([0, null]);
});

test("when the reader of stream-json goes away the run ends soon, and quietly", async () => {
	const task = 'until [ -e gone ]; do sleep 0.05; done; agent "sleep 300"';
	const program = startLine(
		`"$@" run --model shell --output-format stream-json '${task}' > >(head -1; touch gone); echo "exit $?"`,
	);
	const { stdout, stderr } = await endOf(program);
	const lines = stdout.split("\n");
	expect(JSON.parse(lines[0] ?? "")).toMatchObject({ type: "system", subtype: "init", agent_id: "1" });
	expect([lines.slice(1), stderr]).toEqual([["exit 141", ""], ""]);
});

test("when the reader of the answer goes away the run ends quietly, however long the answer", async () => {
	const program = startLine(`"$@" run --model shell 'seq 2000000' | head -1; echo "exit \${PIPESTATUS[0]}"`);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "1\nexit 0\n", stderr: "" });
});

// biome-ignore lint/suspicious/noExplicitAny: lines of any shape, each compared below
function linesOf(stdout: string): any[] {
	return stdout
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line));
}

/** All of an answer that was streamed. */
function piecesOf(lines: ReturnType<typeof linesOf>, agent: string, turn: number): string {
	const events = lines.filter((line) => line.type === "stream_event" && line.agent_id === agent && line.turn === turn);
	return events.map(({ event: { delta } }) => delta.text ?? delta.thinking ?? delta.partial_json).join("");
}

function runOf(program: Program): string | undefined {
	return program.events().flatMap((event) => (event.event === "run_started" ? [event.run] : []))[0];
}

/** What every result has. */
function resultOf(program: Program) {
	const [root] = program.events().flatMap((event) => (event.event === "agent_joined" ? [event.pid] : []));
	return {
		type: "result",
		duration_ms: expect.any(Number),
		session_id: runOf(program),
		agent_id: "1",
		parent_agent_id: null,
		depth: 0,
		pid: root,
	};
}
