/**
 * A call that fails, or an answer that is none: one line on stderr, what was said so far on stdout, the class as exit
 * code.
 */

import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { FakeAnswer } from "../../fixtures/fake-api.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";
import { endOf, KEY, runs, says, startApiRun } from "./api-run.ts";

const error = (status: number, type: string, message: string): FakeAnswer => ({ error: { status, type, message } });
const ONCE = { env: { AGENTREE_RETRY_TIME: "0s" } }; // what is broken here is not tried again
const HALF = { content: [says("I look."), runs("toolu_1", "echo one")] };

const FAILURES: readonly [name: string, answer: FakeAnswer, exit: number, says: string][] = [
	[
		"a key that is rejected",
		error(401, "authentication_error", "invalid x-api-key"),
		77,
		"invalid x-api-key (HTTP 401, authentication_error, req_fake_1); the service refuses the key: check ANTHROPIC_API_KEY",
	],
	[
		"a model that the service does not know",
		error(404, "not_found_error", "model: claude-sonnet-5-5"),
		1,
		"model: claude-sonnet-5-5 (HTTP 404, not_found_error, req_fake_1)",
	],
	[
		"a request that the service refuses",
		error(400, "invalid_request_error", "prompt is\ntoo long"),
		1,
		"prompt is too long (HTTP 400, invalid_request_error, req_fake_1)",
	],
	[
		"a service that is too busy",
		error(529, "overloaded_error", "Overloaded"),
		75,
		"Overloaded (HTTP 529, overloaded_error, req_fake_1)",
	],
];

test.each(FAILURES)("%s ends the run with the service's words", async (_, answer, exit, words) => {
	const { program } = await startApiRun({ look: [answer] }, ["look"], ONCE);
	expect(await endOf(program)).toEqual({ exit, stdout: "", stderr: `agent 1: failure: ${words}\n` });
});

test("a service that does not run is out of reach, and the run ends by itself", async () => {
	const url = `http://127.0.0.1:${await unusedPort()}`;
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url, ...ONCE.env };
	expect(await runProgram(["run", "look"], { env })).toEqual({
		exit: 75,
		stdout: "",
		stderr: expect.stringMatching(
			/^agent 1: failure: the service is out of reach: [^\n]*connect ECONNREFUSED 127\.0\.0\.1:\d+\n$/,
		),
	});
});

const STOPS: readonly [stopReason: string, says: string][] = [
	["refusal", "the model refused (refusal): cyber: It asks for malware."],
	["new_reason", "the model stopped for an unknown reason: new_reason"],
];

test.each(STOPS)("a model that stops with %s has failed; its words so far are printed", async (stopReason, reason) => {
	const explanation = "It asks for\nmalware.";
	const stopDetails = stopReason === "refusal" ? { type: "refusal", category: "cyber", explanation } : undefined;
	const ends = { stopReason, ...(stopDetails && { stopDetails }) };
	const last = { content: [says("half an ans"), runs("toolu_2", "touch never")], ...ends };
	const { api, program } = await startApiRun({ look: [HALF, last] }, ["look"]);
	expect(await endOf(program)).toEqual({
		exit: 1,
		stdout: "half an ans\n",
		stderr: `agent 1: failure: ${reason}\n`,
	});
	expect(api.requests.length).toBe(2);
	expect(program.events().filter(({ event }) => event === "command_started").length).toBe(1);
});

test("a child that fails says so in its parent's tool result, and the parent goes on", async () => {
	const { api, program } = await startApiRun(
		{
			look: [{ content: [runs("toolu_1", 'agent "count"')] }, { content: [says("done without")] }],
			count: [{ content: [says("I will not.")], stopReason: "refusal" }],
		},
		["look"],
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done without\n", stderr: "" });
	expect(api.requests.at(-1)?.body.messages.at(-1)?.content).toEqual([
		{
			type: "tool_result",
			tool_use_id: "toolu_1",
			content: expect.stringMatching(
				/^I will not\.\nagent 1\.1: failure: the model refused \(refusal\)\n[^\n]*exit status 1[^\n]*\n?$/,
			),
			is_error: true,
		},
	]);
});

// Seen to fail (the whole run ends) when every 403 stopped the run.
test("a 403 ends the agent whose call it was, once a call with the key was answered; before that, the run", async () => {
	const forbidden = error(403, "permission_error", "not this model");
	const { program } = await startApiRun(
		{
			look: [{ content: [runs("toolu_1", 'agent "count"; echo "exit $?"')] }, { content: [says("done without")] }],
			count: [forbidden],
		},
		["look"],
	);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done without\n", stderr: "" });
	const ended = program.events().filter(({ event }) => event === "agent_ended");
	expect(ended).toMatchObject([{ agent: "1.1", ending: { by: "failure", exitCode: 77 } }, { agent: "1" }]);
	const first = await startApiRun({ look: [forbidden] }, ["look"]);
	expect(await endOf(first.program)).toMatchObject({ exit: 77, stdout: "" });
	expect(first.program.events().some(({ event }) => event === "run_stopping")).toBe(true);
});

// Seen to fail: the words of the service were cut after 500 characters, and by "why" at the width of the screen.
test("show and why have the whole cause of an ending; what a command prints of it has its end", async () => {
	const home = temporaryHome();
	const long = `it begins, ${"and goes on, ".repeat(3_000)}and this is its end`;
	const { program } = await startApiRun(
		{
			look: [{ content: [runs("toolu_1", 'agent "count" 2>said; cat said')] }, { content: [says("done")] }],
			count: [error(400, "invalid_request_error", long)],
		},
		["-v", "look"],
		{ home },
	);
	const { exit, stderr } = await endOf(program);
	expect([exit, stderr]).toEqual([0, expect.stringContaining("and this is its end (HTTP 400")]);
	const lines = stderr.split("\n").filter((line) => line.includes("it begins"));
	for (const line of lines) expect(line.length).toBeLessThan(3_000);
	const run = (...args: string[]) => endOf(startProgram(args, { home, env: {} }));
	for (const args of [
		["show", "1.1"],
		["why", "1.1"],
		["why", "1"],
		["show", "1.1", "--json"],
		["why", "1.1", "--json"],
	])
		expect((await run(...args)).stdout.replace(/\s+/g, " "), args.join(" ")).toContain(`${long} (HTTP 400`);
	const said = readFileSync(join(home, "said"), "utf8");
	expect(said).toMatch(/^agent 1\.1: failure: it begins, .* characters omitted .*and this is its end \(HTTP 400/);
	expect(said.length).toBeLessThan(3_000);
});

async function unusedPort(): Promise<number> {
	const server = createServer();
	onTestFinished(() => void server.close());
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const { port } = server.address() as AddressInfo;
	await new Promise((closed) => server.close(closed));
	return port;
}

// `null` was seen to fail with "Cannot read properties of null" as the reason, without isStreamEvent.
test.each<[string, "cut" | "end" | { type: string; message: string } | { raw: string }, number, RegExp]>([
	["cut", "cut", 75, /broke off/],
	["ended without its end", "end", 75, /cut off before its end/],
	["ended by an error", { type: "overloaded_error", message: "Overloaded" }, 75, /Overloaded/],
	["followed by null", { raw: "event: message_delta\ndata: null\n\n" }, 75, /it sent something that is not an event/],
])("what a call had said before its stream was %s is on stdout", async (_, by, code, reason) => {
	const broken: FakeAnswer = {
		content: [says("Half of the answer, and then")],
		breakOff: { after: 6, by },
		pieceSize: 6,
	};
	const { program } = await startApiRun({ look: [HALF, broken] }, ["look"], ONCE);
	const { exit, stdout, stderr } = await endOf(program);
	expect([exit, stdout]).toEqual([code, "Half of the answer\n"]);
	expect(stderr).toMatch(/^agent 1: failure: [^\n]+\n$/);
	expect(stderr).toMatch(reason);
});

test("what a call had said before the run was stopped is on stdout", async () => {
	let release = () => {};
	const held = new Promise<void>((resolve) => {
		release = resolve;
	});
	const slow: FakeAnswer = {
		content: [says("Half of the answer")],
		pieceSize: 8,
		beforeEvent: (_, n) => (n === 4 ? held : undefined),
	};
	const { program } = await startApiRun({ look: [slow] }, ["--max-time", "6s", "look"]);
	const { exit, stdout, stderr } = await endOf(program);
	release();
	expect([exit, stdout]).toEqual([3, "Half of \n"]);
	expect(stderr).toBe("agent 1: limit: time limit reached (max-time 6 s for agent 1 and all below it)\n");
});

test("json has the same last words as text", async () => {
	// Seen to fail (an empty result) with only what is in the transcript known to the writer.
	const cut: FakeAnswer = {
		content: [says("Half of the answer, and then")],
		breakOff: { after: 6, by: "cut" },
		pieceSize: 6,
	};
	const { program } = await startApiRun({ look: [cut] }, ["--output-format", "json", "look"], ONCE);
	const { exit, stdout } = await endOf(program);
	expect([exit, JSON.parse(stdout).result]).toEqual([75, "Half of the answer"]);
});
