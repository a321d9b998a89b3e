import { expect, test } from "vitest";
import { type Ollama, PromptCuts } from "../../../../src/models/openai/prompt-cuts.ts";

const usage = (input: number) => ({ input, output: 5, cacheRead: 0, cacheWrite: 0 });
/** A prompt of so many tokens, at four bytes each. */
const prompt = (tokens: number) => "abc ".repeat(tokens);

/** A service with these answers at paths of its own. */
function ollamaWith(answers: Record<string, unknown> = {}): Ollama & { asked: string[] } {
	const asked: string[] = [];
	const fetch = async (url: string) => {
		const { pathname } = new URL(url);
		asked.push(pathname);
		return pathname in answers ? Response.json(answers[pathname]) : new Response("404", { status: 404 });
	};
	return { baseUrl: "http://127.0.0.1:11434/v1", model: "qwen3", headers: {}, fetch, asked };
}

const loaded = (context_length: number) => ({ "/api/ps": { models: [{ name: "qwen3:latest", context_length }] } });

const SHOWN = { "/api/show": { parameters: "stop x\nnum_ctx    2048", model_info: { "q.context_length": 40960 } } };
const most = (tokens: number) => ({ "/api/show": { model_info: { "q.context_length": tokens } } });

/** Of each prompt its tokens, and those that the service has counted; with `!` the answer stands for a cut prompt, and a size is told. */
test.each<[string, Record<string, unknown>, string]>([
	["nothing is cut", {}, "3000 3000, 5000 5000"],
	["dense text is no cut", loaded(4096), "2500 3900"],
	["less was counted than for the prompt before", {}, "3000 3000, 5000 2050!2050"],
	["the count is far below any text", {}, "9000 2050!2050"],
	["the model as it is loaded says its context", loaded(4096), "3000 3000, 5000 2050!4096"],
	["the first prompt is cut to half of the context", loaded(4096), "5000 2050!4096"],
	["messages were left out until it fits", loaded(4096), "9000 4000!4096"],
	["the context is full", loaded(4096), "4300 4095!4096"],
	["the model's own parameters say it", SHOWN, "3000 1026!2048"],
	["its largest context is a bound", most(8192), "20000 8192!8192"],
	["the context is full, and its size is not known", {}, "3000 3000, 4500 4096, 6000 4096!4096"],
	["the model may have more than it is given", most(131072), "3000 3000, 5000 2050!2050"],
	["a service that counts nothing tells nothing", {}, "9000 0"],
	["a number that is no count tells nothing", {}, "3000 100, 9000 20"],
])("%s", async (_, answers, calls) => {
	const [cuts, ollama] = [new PromptCuts(), ollamaWith(answers)];
	for (const [, tokens, counted, told] of calls.matchAll(/(\d+) (\d+)!?(\d+)?/g)) {
		const failure = await cuts.cut(prompt(Number(tokens)), usage(Number(counted)), { agent: "1", ollama });
		expect(failure?.contextFull?.maxTokens).toBe(told && Number(told));
	}
});

test("a prompt that is surely too long is not sent once the context is known, and what it is compared with is its agent's own", async () => {
	const [cuts, ollama] = [new PromptCuts(), ollamaWith(loaded(4096))];
	expect(cuts.tooLong(prompt(9000), "1")).toBeUndefined();
	await cuts.cut(prompt(3000), usage(3000), { agent: "1", ollama });
	expect(cuts.tooLong(prompt(6000), "2")).toBeUndefined();
	const { reason, contextFull } = cuts.tooLong(prompt(6000), "1") ?? {};
	expect([reason, contextFull]).toEqual([
		expect.stringMatching(/^the prompt is longer than the service's context \(4096 tokens\).*OLLAMA_CONTEXT_LENGTH/),
		{ promptTokens: 6000, maxTokens: 4096 },
	]);
	expect(await cuts.cut(prompt(3000), usage(2000), { agent: "2", ollama })).toBeUndefined();
});

test("a service that says nothing of its context is not asked forever", async () => {
	const ollama = ollamaWith();
	const cuts = new PromptCuts();
	for (let n = 0; n < 9; n++) await cuts.cut(prompt(3000), usage(3000), { agent: "1", ollama });
	expect(ollama.asked.length).toBe(6);
});
