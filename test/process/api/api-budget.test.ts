/** Budgets with a service behind them that counts what it is asked, and keeps prompts as the real one does. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AssistantBlock } from "../../../src/core/model/message.ts";
import type { Usage } from "../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { factsOf } from "../../../src/models/catalogue.ts";
import { costOf } from "../../../src/models/provider/model-facts.ts";
import { readRunFile } from "../../../src/record/read-run.ts";
import { type FakeApi, type FakeError, type RecordedRequest, startFakeApi } from "../../fixtures/fake-api.ts";
import { FakeCache, tokensOf } from "../../fixtures/fake-cache.ts";
import { type Program, runProgram, startProgram, temporaryHome } from "../program.ts";
import { endOf, KEY, requestsOf, runs, says, taskOf } from "./api-run.ts";

const MODEL = "claude-sonnet-5-5";

interface Counting {
	api: FakeApi;
	/** What the service has charged, call by call. */
	charged: Usage[];
}

/** An answer's blocks; it is charged as they are, or with all that it may have. */
interface Answer {
	content: AssistantBlock[];
	isLong?: boolean;
	/** The stream of an answer begins, and goes on when this resolves. */
	held?: Promise<void>;
}

async function startCounting(
	answer: (request: RecordedRequest, turn: number) => Answer | FakeError,
): Promise<Counting> {
	const cache = new FakeCache();
	const charged: Usage[] = [];
	const api = await startFakeApi((request) => {
		const given = answer(request, request.body.messages.filter(({ role }) => role === "assistant").length + 1);
		if ("error" in given) return given;
		const { content, isLong, held } = given;
		const { max_tokens } = request.body;
		const output = isLong ? max_tokens : Math.min(max_tokens, tokensOf(JSON.stringify(content)));
		const usage = { ...cache.take(request.body), output };
		charged.push(usage);
		return {
			content,
			usage,
			...(held === undefined ? {} : { beforeEvent: (_: string, n: number) => (n === 1 ? held : undefined) }),
		};
	});
	onTestFinished(() => api.close());
	return { api, charged };
}

function start({ api }: Counting, args: readonly string[], home = temporaryHome()): Program {
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url };
	return startProgram(["run", "--model", MODEL, ...args], { env, home });
}

function sumOf(charged: readonly Usage[]): number {
	return charged.reduce((sum, usage) => sum + (costOf(factsOf(MODEL).price, usage) ?? Number.NaN), 0);
}

test("eight children that start together under a budget for about three calls at once spend no more than it, and the root answers", async () => {
	const together = `for n in 1 2 3 4 5 6 7 8; do agent "part $n" & done; wait`;
	let release = () => {};
	const held = new Promise<void>((resolve) => {
		release = resolve;
	});
	const counting = await startCounting((request, turn) => {
		if (taskOf(request) === "split")
			return { content: turn === 1 ? [runs("toolu_1", together)] : [says("what the parts found")] };
		if (request.body.tool_choice?.type === "none") return { content: [says("not done: no budget")] };
		if (turn > 3) return { content: [says("done")] };
		const content = [runs(`toolu_${turn}`, "head -c 6000 /dev/zero | tr '\\0' x")];
		return { content, isLong: turn < 3, held };
	});
	const budget = 1.25;
	const program = start(counting, ["--max-budget-usd", String(budget), "split"]);
	const hasAsked = (n: number) => (event: RunEvent) =>
		(event.event === "turn_started" || event.event === "turn_queued") && event.agent === `1.${n}`;
	for (let n = 1; n <= 8; n++) await program.waitForEvent(hasAsked(n));
	const started = program.events().filter(({ event }) => event === "turn_started");
	expect(started.map((event) => "agent" in event && event.agent.length)).toEqual([1, 3, 3, 3]); // the root and three of them, each with room for its report
	release();
	const end = await endOf(program);
	const spent = sumOf(counting.charged);
	// Seen to fail with nothing reserved for calls under way: $2.58 of $1.25.
	expect(spent).toBeLessThanOrEqual(budget);
	expect(spent).toBeGreaterThan(0.6 * budget);
	expect(end.stdout).toBe("what the parts found\n");
	for (let n = 1; n <= 8; n++) {
		const bodies = requestsOf(counting.api, `part ${n}`).map(({ body }) => body);
		const isDone = bodies.length > 3 || bodies.length === 0;
		expect([n, isDone || bodies.at(-1)?.tool_choice?.type]).toEqual([n, isDone || "none"]);
	}
	const events = program.events();
	expect(events.some((event) => event.event === "turn_queued" && event.reason !== undefined)).toBe(true);
	const file = readRunFile(await program.runDirectory());
	expect(file.costUsd).toBeCloseTo(spent, 9);
	expect(file.limits.maxBudgetUsd).toBe(budget);
	for (const { body } of counting.api.requests) expect(body.max_tokens).toBeGreaterThanOrEqual(1024);
});

test("in thirty turns at least 90 % of the prompt is read from the cache, whatever a budget lowers and notes", async () => {
	const counting = await startCounting((_, turn) => ({
		content: turn < 30 ? [says(`Step ${turn}.`), runs(`toolu_${turn}`, `seq ${turn}000 ${turn}400`)] : [says("done")],
	}));
	const program = start(counting, ["--max-tokens", "380000", "count"]);
	expect((await endOf(program)).stdout).toBe("done\n");
	const { charged, api } = counting;
	const total = (key: keyof Usage) => charged.reduce((sum, usage) => sum + (usage[key] ?? 0), 0);
	// Seen to fail with a system prompt that says how far the agent is: nothing is read then.
	expect(total("cacheRead") / (total("cacheRead") + total("cacheWrite") + total("input"))).toBeGreaterThan(0.9);
	const bodies = api.requests.map(({ body }) => body);
	expect(bodies).toHaveLength(30);
	for (const [n, { messages, system, tools }] of bodies.entries()) {
		const next = bodies[n + 1];
		if (next === undefined) continue;
		const sent = JSON.stringify([system, tools, messages]).slice(0, -2); // without what closes the lists
		expect(JSON.stringify([next.system, next.tools, next.messages]).slice(0, sent.length)).toBe(sent);
	}
	expect(bodies[0]?.max_tokens).toBe(32_000);
	expect(bodies.at(-1)?.max_tokens).toBeLessThan(32_000);
	expect(program.events().filter(({ event }) => event === "budget_noticed")).toHaveLength(1);
	expect(JSON.stringify(bodies.at(-1)?.messages)).toMatch(
		/3\d{5} tokens of the budget \(max-tokens 380000 from agent 1 down\) is spent or reserved for last reports/,
	);
});

// Seen to fail with prompts reserved as if nothing of them were cached: the report comes after 18 turns.
test("a small budget in dollars is used to nine tenths before the report, which finds its prompt in the cache", async () => {
	const counting = await startCounting((request, turn) => {
		const isReport = JSON.stringify(request.body.messages.at(-1)).includes("Report now");
		return { content: isReport ? [says("counted some")] : [runs(`toolu_${turn}`, `seq ${turn}000 ${turn}400`)] };
	});
	const budget = 0.15;
	const program = start(counting, ["--max-budget-usd", String(budget), "count"]);
	const end = await endOf(program);
	expect({ ...end, stderr: "" }).toEqual({ exit: 3, stdout: "counted some\n", stderr: "" });
	const { charged, api } = counting;
	expect(charged.length).toBeGreaterThan(25);
	expect(sumOf(charged.slice(0, -1))).toBeGreaterThan(0.9 * budget);
	expect(sumOf(charged)).toBeLessThanOrEqual(budget);
	expect(api.requests.at(-1)?.body).not.toHaveProperty("tool_choice");
	expect(charged.at(-1)?.cacheRead).toBeGreaterThan(10_000);
});

test("a child's budget is its own and below it: no grandchild starts in what is left, it reports, and its parent goes on", async () => {
	const counting = await startCounting((request, turn) => {
		if (taskOf(request) === "small") {
			if (JSON.stringify(request.body.messages).includes("Stop here")) return { content: [says("half of it")] };
			// A call whose prompt is cached may still fit; so it goes on until none does.
			return { content: [runs(`toolu_2${turn}`, 'agent "smaller"; echo exit $?')], isLong: true };
		}
		if (turn > 1) return { content: [says("done")] };
		const other = 'agent --model claude-unheard-of-9 --max-budget-usd 1 "x"; echo exit $?';
		return { content: [runs("toolu_1", `agent --max-budget-usd 0.1 "small"; echo exit $?; ${other}`)] };
	});
	const program = start(counting, ["big"]);
	expect(await endOf(program)).toEqual({ exit: 0, stdout: "done\n", stderr: "" });
	const resultOf = (task: string) =>
		JSON.stringify(requestsOf(counting.api, task).at(-1)?.body.messages.at(-1)?.content);
	const reached =
		/budget reached \(max-budget-usd 0\.1 from agent 1\.1 down: \$0\.0\d{3} used, and the rest is not enough for another call, which could cost \$0\.\d{4}[^)]*\)/;
	expect(resultOf("small")).toMatch(
		new RegExp(
			`agent: not started: ${reached.source}: start no more agents, and report what you have \\(the task: smaller\\)\\\\nexit 4`,
		),
	);
	expect(resultOf("small")).toMatch(new RegExp(`Stop here: ${reached.source}\\. You can make no more calls`));
	expect(resultOf("big")).toMatch(new RegExp(`half of it\\\\nagent 1\\.1: limit: ${reached.source}\\\\nexit 3`));
	expect(resultOf("big")).toContain(
		"agent: the price of the model claude-unheard-of-9 is unknown, and a dollar budget applies (of its own): use a model",
	);
	expect(resultOf("big")).toMatch(/exit 2\\n/);
	const shown = await runProgram(["show", "1.1"], { home: program.home });
	expect(shown.stdout).toMatch(
		/max-budget-usd \$0\.10\n[\s\S]*budget {2}of [^:]+: \$0\.0\d+ of \$0\.10, \$0\.0\d+ left\n/,
	);
	const agents = program.events().flatMap((event) => (event.event === "agent_joined" ? [event] : []));
	expect(agents.map(({ limits }) => limits.maxBudgetUsd)).toEqual([undefined, 0.1]);
});

test("a budget in dollars for a model without a price is wrong usage, until the configuration file gives one", async () => {
	const home = temporaryHome();
	const counting = await startCounting(() => ({ content: [says("priced")] }));
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: counting.api.url, AGENTREE_MODEL: "claude-unheard-of-9" };
	const args = ["run", "--max-budget-usd", "5", "--output-format", "json", "a"];
	const where = "the configuration file (agent doctor says where)";
	const says5 = (path: string) =>
		`agent: the price of the model claude-unheard-of-9 is unknown, so a dollar budget cannot be enforced: add its price under "prices" in ${path}, or use --max-tokens; the name is from AGENTREE_MODEL\n`;
	expect(await runProgram(args, { home, env })).toMatchObject({ exit: 2, stderr: says5(where) });
	const missing = await runProgram(args, { home, env: { ...env, AGENTREE_CONFIG: "own.yaml" } });
	expect(missing).toMatchObject({
		exit: 2,
		stderr: `agent: AGENTREE_CONFIG ${home}/own.yaml: cannot be read (no such file)\n`,
	});
	writeFileSync(join(home, "own.yaml"), "prices:\n  claude-unheard-of-9: { input: 10, output: 20 }\n");
	const priced = await runProgram(args, { home, env: { ...env, AGENTREE_CONFIG: "own.yaml" } });
	const [{ input, cacheWrite, output } = { input: 0, cacheWrite: 0, output: 0 }] = counting.charged;
	const cost = (input * 10 + cacheWrite * 12.5 + output * 20) / 1_000_000;
	expect(JSON.parse(priced.stdout)).toMatchObject({ result: "priced", total_cost_usd: Number(cost.toFixed(9)) });
});
