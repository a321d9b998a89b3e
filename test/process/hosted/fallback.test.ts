/** Models that take over from one that is overloaded, away or gone, whole program. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
	type ChatAnswer,
	type ChatRequest,
	chatCall,
	chatSays,
	startFakeChatApi,
} from "../../fixtures/fake-chat-api.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

const DOWN: ChatAnswer = { status: 503, json: { error: { message: "overloaded" } } };
const GONE: ChatAnswer = { status: 404, json: { error: { message: "no such model", code: "model_not_found" } } };

/** Two services: `first`, which answers as told, and `second`. */
async function twoServices(
	first: (request: ChatRequest, n: number) => ChatAnswer,
	second: (request: ChatRequest, n: number) => ChatAnswer,
) {
	const [a, b] = [await startFakeChatApi(first), await startFakeChatApi(second)];
	onTestFinished(async () => {
		await a.close();
		await b.close();
	});
	const home = temporaryHome();
	const AGENTREE_CONFIG = join(home, "config.yaml");
	const prices = "prices: { m: { input: 1, output: 1 } }";
	writeFileSync(
		AGENTREE_CONFIG,
		`providers:\n  first: { base_url: "${a.url}", ${prices} }\n  second: { base_url: "${b.url}", ${prices} }\n  third: { base_url: "${b.url}" }\n`,
	);
	return { a, b, home, env: { AGENTREE_CONFIG, AGENTREE_RETRY_WAIT: "10ms" } };
}

const FALLS_BACK = ["run", "--model", "first/m", "--fallback-model", "second/m", "--max-budget-usd", "5", "look"];

test("after three attempts the next model takes over for good, in the same turn, and its children have it, too", async () => {
	const { a, b, home, env } = await twoServices(
		() => DOWN,
		({ body }, n) =>
			n === 1 ? chatSays("I look.", { calls: [chatCall("x", "agent sub")] }) : chatSays(`done ${body.messages.length}`),
	);
	const program = startProgram(FALLS_BACK, { home, env });
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString()]).toEqual([0, "done 4\n"]);
	expect([a.requests.length, b.requests.length]).toEqual([3, 3]);
	const events = program.events();
	expect(events.filter(({ event }) => event === "agent_changed")).toMatchObject([
		{ agent: "1", model: "second/m", reason: expect.stringMatching(/^overloaded \(HTTP 503.*\); tried 3 times/) },
	]);
	expect(events.flatMap((event) => (event.event === "agent_joined" ? [event.model] : []))).toEqual([
		"first/m",
		"second/m",
	]);
	expect(
		events.flatMap((event) => (event.event === "turn_started" && event.agent === "1" ? [event.turn] : [])),
	).toEqual([1, 2]);
	const directory = await program.runDirectory();
	const { values } = readTranscript(directory, "1");
	expect(values.slice(1, 3)).toMatchObject([
		{
			role: "note",
			note: "call",
			outcome: "failed",
			reason: expect.stringMatching(/overloaded.*; continuing with second\/m$/),
		},
		{ role: "assistant", model: "second/served" },
	]);
	const log = await runProgram(["log", "1"], { home });
	expect(log.stdout).toMatch(
		/turn 1: retrying immediately: overloaded[^;]*; tried 3 times.*\n.* changed to model second\/m\n/,
	);
});

test("a model that the service does not have is given up at once, and a long wait, too", async () => {
	for (const answer of [
		GONE,
		{ status: 429, json: { error: { message: "slow down" } }, headers: { "retry-after": "60" } },
	]) {
		const { a, home, env } = await twoServices(
			() => answer,
			() => chatSays("ok"),
		);
		expect(await runProgram(FALLS_BACK, { home, env })).toEqual({ exit: 0, stdout: "ok\n", stderr: "" });
		expect(a.requests.length).toBe(1);
	}
});

test("stream-json says which model took over, and why, and what was used with each", async () => {
	const { home, env } = await twoServices(
		(_, n) => (n === 1 ? chatSays("I look.", { calls: [chatCall("x", "true")] }) : GONE),
		() => chatSays("ok"),
	);
	const { stdout } = await runProgram([...FALLS_BACK, "--output-format", "stream-json"], { home, env });
	const lines = stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
	expect(lines.filter(({ subtype }) => subtype === "agent_changed")).toMatchObject([
		{ type: "system", agent_id: "1", model: "second/m", reason: expect.stringContaining("no such model") },
	]);
	const once = { inputTokens: 100, outputTokens: 20, costUSD: 0.00012 };
	expect(lines.at(-1).modelUsage).toMatchObject({ "first/m": once, "second/m": once });
});

test("when the last model fails, too, that is the failure", async () => {
	const { a, b, home, env } = await twoServices(
		() => GONE,
		() => GONE,
	);
	expect(await runProgram(FALLS_BACK, { home, env })).toMatchObject({
		exit: 1,
		stderr: expect.stringMatching(/^agent 1: failure: no such model/),
	});
	expect([a.requests.length, b.requests.length]).toEqual([1, 1]);
});

test("other failures are the model's own, and no other one takes over", async () => {
	const { b, home, env } = await twoServices(
		() => ({ status: 400, json: { error: { message: "bad request" } } }),
		() => chatSays("ok"),
	);
	expect(await runProgram(FALLS_BACK, { home, env })).toMatchObject({ exit: 1 });
	expect(b.requests.length).toBe(0);
});

test("models that could not take over are refused before anything starts, and inside a run nobody chooses them", async () => {
	const { home, env } = await twoServices(
		() => chatSays("x"),
		() => chatSays("x"),
	);
	const run = (...args: string[]) => runProgram(["run", "--model", "first/m", ...args, "look"], { home, env });
	expect(await run("--fallback-model", "groq/x")).toMatchObject({
		exit: 77,
		stderr: expect.stringContaining("no key for the model groq/x"),
	});
	expect(await run("--fallback-model", "second/m,")).toMatchObject({
		exit: 2,
		stderr: "agent: --fallback-model needs names separated by commas: A,B\n",
	});
	expect(await run("--fallback-model", "nonsense")).toMatchObject({
		exit: 2,
		stderr: expect.stringMatching(/^agent: unknown model "nonsense"; .*; the name is from --fallback-model\n$/),
	});
	expect(await run("--fallback-model", "third/m", "--max-budget-usd", "1")).toMatchObject({
		exit: 2,
		stderr: expect.stringContaining("the price of the model third/m"),
	});
	const inside = await runProgram(["run", "--model", "shell", "agent --fallback-model shell true; echo $?"], {
		home,
		env,
	});
	expect(inside.stdout).toMatch(/^agent: --fallback-model is set once for a whole run[^\n]*\n2\n$/);
});
