/** A program talks with a run: messages as lines of JSON on stdin, answers on stdout. */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import type { FakeAnswer } from "../../fixtures/fake-api.ts";
import { WAIT } from "../../wait.ts";
import { KEY, runs, says } from "../api/api-run.ts";
import { AGENT_PROGRAM, runProgram, temporaryHome } from "../program.ts";
import { type Replies, startTalkService } from "./conversation-run.ts";

const user = (content: unknown) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
interface Line {
	type: string;
	subtype?: string;
	result?: string;
	[key: string]: unknown;
}

async function environment(replies: Replies) {
	const api = await startTalkService(replies);
	return { api, env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url } };
}

const STREAM = ["--input-format", "stream-json", "--output-format", "stream-json"];

/** The program with its stdin open. */
async function talk(replies: Replies, args: readonly string[] = STREAM) {
	const { api, env } = await environment(replies);
	const home = temporaryHome();
	const child: ChildProcess = spawn(process.execPath, [AGENT_PROGRAM, "run", ...args], {
		cwd: home,
		env: {
			...{ PATH: process.env.PATH ?? "", HOME: home, XDG_RUNTIME_DIR: join(home, "run") },
			...{ AGENTREE_HOME: join(home, "agentree"), ...env },
		},
		stdio: ["pipe", "pipe", "pipe"],
	});
	onTestFinished(() => void (child.exitCode === null && child.signalCode === null && child.kill("SIGKILL")));
	const lines: Line[] = [];
	if (child.stdout !== null) createInterface(child.stdout).on("line", (line) => lines.push(JSON.parse(line)));
	let stderr = "";
	child.stderr?.on("data", (chunk) => {
		stderr += chunk;
	});
	const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
	const results = () => lines.filter(({ type }) => type === "result");
	return {
		...{ api, child, lines, ended, home, env, results },
		stderr: () => stderr,
		say: (text: string) => void child.stdin?.write(text),
		until: (is: () => boolean) => vi.waitFor(() => expect(is()).toBe(true), WAIT),
	};
}

const REPLIES: Replies = {
	first: { content: [says("one")] },
	second: { content: [says("two")] },
	third: { content: [says("three")] },
};

test("each message has an answer, which is a result line, and the end of stdin ends the run after the last one", async () => {
	const { say, child, until, results, lines, ended, api, home, env } = await talk(REPLIES);
	say(user("first"));
	await until(() => results().length === 1);
	say(user([{ type: "text", text: "second" }]));
	say(user("third"));
	child.stdin?.end();
	expect(await ended).toBe(0);
	expect(results().map(({ subtype, result, num_turns }) => [subtype, result, num_turns])).toEqual([
		["success", "one", 1],
		["success", "two", 1],
		["success", "three", 1],
	]);
	expect(lines[0]).toMatchObject({ type: "system", subtype: "init", session_id: expect.any(String) });
	expect(api.requests.at(-1)?.body.messages.map(({ role }) => role)).toEqual([
		"user",
		"assistant",
		"user",
		"assistant",
		"user",
	]);
	const went = await runProgram(["run", "-c", "--input-format", "stream-json"], {
		...{ home, cwd: home, env, stdin: user("first again") },
	});
	expect(went).toMatchObject({ exit: 0, stdout: "one\n" });
	expect(api.requests).toHaveLength(4);
});

test("lines that are no message are told of, and do not end the conversation", async () => {
	const { say, child, results, lines, ended, stderr } = await talk(REPLIES);
	say("garbage\n\n[1]\n");
	child.stdin?.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
	say(`${"x".repeat(9 * 1024 * 1024)}\n`);
	say(user("first"));
	say(`${JSON.stringify({ type: "control_request", request_id: "r", request: { subtype: "set_model" } })}\n`);
	child.stdin?.end(user([{ type: "image" }]).trimEnd());
	expect(await ended).toBe(2);
	expect(results().map(({ result }) => result)).toEqual(["one"]);
	const errors = lines.filter(({ subtype }) => subtype === "input_refused").map(({ error }) => String(error));
	expect(errors.map((error) => /line (\d)/.exec(error)?.[1])).toEqual(["1", "3", "4", "5", "7", "8"]);
	expect(stderr().trim().split("\n")).toHaveLength(6);
	expect(lines).toContainEqual({
		type: "control_response",
		response: { subtype: "error", request_id: "r", error: expect.stringContaining("set_model") },
	});
});

test("without a message on stdin it is wrong usage, and what contradicts it is", async () => {
	const { env } = await environment({});
	const run = (args: string[], stdin: string) => runProgram(["run", ...args], { env, stdin });
	const none = await run(STREAM, "");
	expect(none).toMatchObject({ exit: 2, stderr: "agent: no message on stdin\n" });
	expect((await run(STREAM, "garbage\n")).stderr).toMatch(
		/^agent: line 1 of stdin was rejected: .*; no message on stdin\n$/,
	);
	for (const args of [["--detach"], ["--stdin"], ["-"]])
		expect((await run([...STREAM, ...args], user("x"))).exit).toBe(2);
	expect((await run(["--input-format", "xml"], user("x"))).stderr).toContain("must be one of text, stream-json");
	const child = await runProgram(["run", "-m", "shell", "agent --input-format stream-json x; echo $?"], { env });
	expect(child.stdout).toMatch(/--input-format is not available inside a run.*\n2\n$/s);
});

test("a message that comes while commands run goes along with their results: one answer is to both", async () => {
	const work: FakeAnswer = {
		content: [runs("toolu_1", "touch began; until [ -e go ]; do sleep 0.05; done; echo done")],
	};
	const { say, until, results, child, ended, home, api, lines } = await talk({
		work,
		"also this": { content: [says("both")] },
	});
	say(user("work"));
	await until(() => lines.some(({ type }) => type === "assistant"));
	say(user("also this"));
	await until(() => api.requests.length === 1);
	writeFileSync(join(home, "go"), "");
	await until(() => results().length === 1);
	child.stdin?.end();
	expect(await ended).toBe(0);
	expect(results().map(({ result }) => result)).toEqual(["both"]);
});

test("an interruption ends what the agent does, and the conversation goes on", async () => {
	const held: FakeAnswer = { content: [runs("toolu_1", "sleep 60")] };
	const { say, until, results, lines, child, ended } = await talk({ ...REPLIES, wait: held });
	say(user("wait"));
	await until(() => lines.some(({ type }) => type === "assistant"));
	say(`${JSON.stringify({ type: "control_request", request_id: "r1", request: { subtype: "interrupt" } })}\n`);
	await until(() => results().length === 1);
	expect(results()[0]).toMatchObject({ subtype: "error_during_execution", is_error: true, exit_code: 1 });
	expect(lines).toContainEqual({ type: "control_response", response: { subtype: "success", request_id: "r1" } });
	say(user("first"));
	child.stdin?.end();
	expect(await ended).toBe(0);
	expect(results().at(-1)).toMatchObject({ subtype: "success", result: "one" });
});

test("with a schema each answer is checked, and one that never fits is an error of its message alone", async () => {
	const { env, api } = await environment({
		"does not match": { content: [says('{"a":2}')] },
		good: { content: [says('{"a":1}')] },
		soon: { content: [says("no JSON")] },
	});
	const home = temporaryHome();
	writeFileSync(join(home, "s.json"), '{"type":"object","required":["a"],"properties":{"a":{"maximum":2}}}');
	const args = ["run", "--json-schema", "s.json", "--input-format", "stream-json", "--output-format", "json"];
	const told = await runProgram(args, { env, home, stdin: `${user("good")}${user("soon")}` });
	const lines = told.stdout
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	expect(lines.map(({ structured_output, num_turns }) => [structured_output, num_turns])).toEqual([
		[{ a: 1 }, 1],
		[{ a: 2 }, 2],
	]);
	expect(told.exit).toBe(0);
	expect(api.requests).toHaveLength(3);
});

test("a reader that goes, and Ctrl-C while stdin is open, end the run", async () => {
	const gone = await talk(REPLIES);
	gone.say(user("first"));
	await gone.until(() => gone.results().length === 1);
	gone.child.stdout?.destroy();
	gone.say(user("second"));
	expect(await gone.ended).toBe(141);
	const stopped = await talk(REPLIES);
	stopped.say(user("first"));
	await stopped.until(() => stopped.results().length === 1);
	stopped.child.kill("SIGINT");
	expect(await stopped.ended).toBe(130);
	expect(stopped.results().at(-1)).toMatchObject({ subtype: "error_during_execution", exit_code: 130 });
});

test("when the run may take no more turns each further message is answered by that", async () => {
	const args = [...STREAM, "--max-total-turns", "1"];
	const { say, child, ended, results } = await talk(REPLIES, args);
	say(user("first"));
	say(user("second"));
	child.stdin?.end();
	expect(await ended).toBe(3);
	expect(results().map(({ subtype, result }) => [subtype, result])).toEqual([
		["success", "one"],
		["error_max_turns", ""],
	]);
});

test("what an agent asks is a line, and a program answers it on stdin; what is no answer is told", async () => {
	const args = ["-m", "shell", "--ask-wait", ...STREAM];
	const { say, child, until, lines, results, ended, stderr } = await talk({}, args);
	const answer = (request: object, request_id: string) =>
		say(`${JSON.stringify({ type: "control_request", request_id, request: { subtype: "answer", ...request } })}\n`);
	const responses = () => lines.flatMap(({ type, response }) => (type === "control_response" ? [response] : []));
	say(user('agent ask "which port?" --choices 80,8080 --why "both are free"'));
	await until(() => lines.some(({ subtype }) => subtype === "question_asked"));
	expect(lines.find(({ subtype }) => subtype === "question_asked")).toMatchObject({
		...{ type: "system", question: 1, agent_id: "1", is: "words", text: "which port?", choices: ["80", "8080"] },
		why: "both are free",
	});
	await until(() => stderr().includes("agent: waiting for you: agent 1 asks you (question 1): which port?"));
	answer({ question: 1, answer: "90" }, "a");
	answer({ question: 7, answer: "80" }, "b");
	answer({ question: 1, answer: "8080" }, "c");
	await until(() => results().length === 1);
	child.stdin?.end();
	expect(await ended).toBe(0);
	expect(responses()).toEqual([
		{ subtype: "error", request_id: "a", error: expect.stringContaining("80, 8080") },
		{ subtype: "error", request_id: "b", error: expect.stringContaining("no open question 7") },
		{ subtype: "success", request_id: "c" },
	]);
	expect(results()).toMatchObject([{ result: "8080\n" }]);
	expect(lines.find(({ subtype }) => subtype === "question_answered")).toMatchObject({
		question: 1,
		answer: { is: "words", text: "8080" },
	});
});
