/** Options and variables of a run, as they reach the service, the children and stderr. */
import { expect, test } from "vitest";
import { runProgram } from "../program.ts";
import { endOf, KEY, requestsOf, runs, says, startApiRun } from "./api-run.ts";

const DONE = { look: [{ content: [says("done")] }] };

test("a system prompt is this agent's own, and what is appended is every agent's below, too", async () => {
	const { api, program } = await startApiRun(
		{
			look: [{ content: [runs("toolu_1", 'agent "count"')] }, { content: [says("done")] }],
			count: [{ content: [says("one")] }],
		},
		["--system-prompt", "You are a clerk.", "--append-system-prompt", "Answer in French.", "look"],
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const [root] = requestsOf(api, "look").map(({ body }) => body.system);
	const [child] = requestsOf(api, "count").map(({ body }) => body.system);
	expect(root).toMatch(
		/^You are a clerk\.\n\nAt the start: [^\n]+\n\nYou are agent 1\. Limits in force:\n[\s\S]*\n\nAnswer in French\.$/,
	);
	expect(child).toMatch(
		/^You are an agent: [\s\S]*\n\nYou are agent 1\.1\. Limits in force:\n[\s\S]*\n\nAnswer in French\.$/,
	);
	expect(child).toContain(
		"- Child agents: 2 levels below you, 16 alive at once, 64 agents in total, you and all below you included",
	);
});

const MODELS: readonly [env: Record<string, string>, args: string[], model: string][] = [
	[{ ANTHROPIC_MODEL: "claude-opus-5-5" }, [], "claude-opus-5-5"],
	[{ ANTHROPIC_MODEL: "claude-opus-5-5", AGENTREE_MODEL: "claude-haiku-5-5" }, [], "claude-haiku-5-5"],
	[{ AGENTREE_MODEL: "claude-haiku-5-5" }, ["--model", "claude-fable-5-1"], "claude-fable-5-1"],
	[{ ANTHROPIC_MODEL: "opus[1m]" }, [], "claude-opus-5-5"],
	[{}, ["--model", "us.anthropic.claude-opus-5-v1:0", "--max-budget-usd", "1"], "us.anthropic.claude-opus-5-v1:0"],
];

test.each(MODELS)("the model of %j and %j is %s", async (env, args, model) => {
	const { api, program } = await startApiRun(DONE, [...args, "look"], { env });
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	expect(api.requests.map(({ body }) => [body.model, body.thinking])).toEqual([
		[model, { type: "adaptive", display: "summarized" }],
	]);
});

test("at an address of the user's own any name is sent, by a child, too; what that service does not know is told with where it came from", async () => {
	const unknown = { status: 404, type: "not_found_error", message: "model: claude-sonet-5-5" };
	const { api, program } = await startApiRun(
		{
			look: [
				{
					content: [
						runs("toolu_1", 'agent --model "claude-sonnet-4-5[1m]" "count"; agent --model claude-sonet-5-5 "sum"'),
					],
				},
				{ content: [says("done")] },
			],
			count: [{ content: [says("one")] }],
			sum: [{ error: unknown }],
		},
		["look"],
		{ env: { ANTHROPIC_MODEL: "our-own:7b" } },
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const sent = ["look", "count", "sum"].map((task) => {
		const { body, headers } = requestsOf(api, task)[0] ?? {};
		return [body?.model, body?.thinking?.type, headers?.["anthropic-beta"]];
	});
	expect(sent).toEqual([
		["our-own:7b", undefined, undefined],
		["claude-sonnet-4-5", undefined, "context-1m-2025-08-07"],
		["claude-sonet-5-5", "adaptive", undefined],
	]);
	expect(JSON.stringify(requestsOf(api, "look").at(-1)?.body.messages.at(-1))).toMatch(
		/model: claude-sonet-5-5 \(HTTP 404, not_found_error, \w+\); did you mean claude-sonnet-5-5\? \(the name is from --model\)/,
	);
});

test("with -v every event is a line on stderr, with -q an ending that is no answer still is", async () => {
	const loud = await startApiRun(DONE, ["-v", "look"]);
	const { exit, stdout, stderr } = await endOf(loud.program);
	expect([exit, stdout]).toEqual([0, "done\n"]);
	expect(stderr.trimEnd().split("\n").length).toBe(loud.program.events().length);
	const quiet = await startApiRun({ look: [{ content: [], stopReason: "refusal" }] }, ["-q", "look"]);
	expect(await endOf(quiet.program)).toEqual({
		exit: 1,
		stdout: "",
		stderr: "agent 1: failure: the model refused (refusal)\n",
	});
});

test("a key but no task is wrong usage, and no request is made", async () => {
	const none = 'agent: no task: give it as an argument, as in agent "list the files", or pipe it in\n';
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "http://127.0.0.1:2" };
	expect(await runProgram([], { env })).toEqual({ exit: 2, stdout: "", stderr: none });
	expect(await runProgram([], { env, stdin: " \n" })).toEqual({ exit: 2, stdout: "", stderr: none });
});

test("a child that is started wrongly says in one line why, and starts nothing", async () => {
	const wrong: readonly [line: string, says: string][] = [
		["agent --bogus x", "agent: unknown option '--bogus'; see agent run --help"],
		["agent a b", 'agent: unknown command "a"; if it is a task: agent run "a b"; see agent --help'],
		['agent --max-depth z "x"', 'agent: --max-depth must be a whole number of 0 or more, not "z"'],
		['agent ""', 'agent: the task is empty; try agent "list the files"'],
		["agent", 'agent: no task: give it as an argument, as in agent "list the files", or pipe it in'],
		[
			"agent --output-format json x",
			"agent: --output-format works only when a run is started; this command starts a child agent inside a run",
		],
		["agent demo", "agent: agent demo is not available inside a run"],
	];
	const command = wrong.map(([line]) => `${line}; echo "exit $?"`).join("\n");
	const { api, program } = await startApiRun(
		{ look: [{ content: [runs("toolu_1", command)] }, { content: [says("done")] }] },
		["look"],
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const content = wrong.map(([, says]) => `${says}\nexit 2\n`).join("");
	expect(api.requests[1]?.body.messages.at(-1)?.content).toEqual([
		{ type: "tool_result", tool_use_id: "toolu_1", content },
	]);
	expect(program.events().filter(({ event }) => event === "agent_joined").length).toBe(1);
});

test("a child whose model has no key ends with the key's exit code, and says which variable is missing", async () => {
	const task = 'agent --model claude-haiku-4-5 "count"; echo "exit $?"';
	expect(await runProgram(["run", "--model", "shell", task])).toEqual({
		exit: 0,
		stdout:
			"agent 1.1: failure: no key for the model claude-haiku-4-5: set ANTHROPIC_API_KEY, or pass a file with --env-file; without a key, try agent demo\nexit 77\n",
		stderr: "",
	});
});
