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

/** Whether an answer to each prompt, with the tokens that were counted, stands for a cut one, and the size that is told then. */
async function cutsOf(ollama: Ollama, ...calls: [tokens: number, counted: number][]) {
	const cuts = new PromptCuts();
	const told: (number | undefined)[] = [];
	for (const [tokens, counted] of calls) {
		const failure = await cuts.cut(prompt(tokens), usage(counted), { agent: "1", ollama });
		told.push(failure?.contextFull?.maxTokens);
	}
	return told;
}

test.each<[string, Ollama, [number, number][], (number | undefined)[]]>([
	[
		"nothing is cut",
		ollamaWith(),
		[
			[3000, 3000],
			[5000, 5000],
		],
		[undefined, undefined],
	],
	["dense text is no cut", ollamaWith(loaded(4096)), [[2500, 3900]], [undefined]],
	[
		"less was counted than for the prompt before",
		ollamaWith(),
		[
			[3000, 3000],
			[5000, 2050],
		],
		[undefined, 2050],
	],
	["the count is far below any text", ollamaWith(), [[9000, 2050]], [2050]],
	[
		"the model as it is loaded says its context",
		ollamaWith(loaded(4096)),
		[
			[3000, 3000],
			[5000, 2050],
		],
		[undefined, 4096],
	],
	["the first prompt is cut to half of the context", ollamaWith(loaded(4096)), [[5000, 2050]], [4096]],
	["messages were left out until it fits", ollamaWith(loaded(4096)), [[9000, 4000]], [4096]],
	["the context is full", ollamaWith(loaded(4096)), [[4300, 4095]], [4096]],
	[
		"the model's own parameters say it",
		ollamaWith({ "/api/show": { parameters: "stop x\nnum_ctx    2048", model_info: { "q.context_length": 40960 } } }),
		[[3000, 1026]],
		[2048],
	],
	[
		"its largest context is a bound",
		ollamaWith({ "/api/show": { model_info: { "q.context_length": 8192 } } }),
		[[20_000, 8192]],
		[8192],
	],
	[
		"the context is full, and its size is not known",
		ollamaWith(),
		[
			[3000, 3000],
			[4500, 4096],
			[6000, 4096],
		],
		[undefined, undefined, 4096],
	],
	[
		"the model may have more than it is given",
		ollamaWith({ "/api/show": { model_info: { "q.context_length": 131072 } } }),
		[
			[3000, 3000],
			[5000, 2050],
		],
		[undefined, 2050],
	],
	["a service that counts nothing tells nothing", ollamaWith(), [[9000, 0]], [undefined]],
	[
		"a number that is no count tells nothing",
		ollamaWith(),
		[
			[3000, 100],
			[9000, 20],
		],
		[undefined, undefined],
	],
])("%s", async (_, ollama, calls, expected) => {
	expect(await cutsOf(ollama, ...calls)).toEqual(expected);
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

test("a service that says nothing of its context is not asked for ever", async () => {
	const ollama = ollamaWith();
	await cutsOf(ollama, ...Array.from({ length: 9 }, (): [number, number] => [3000, 3000]));
	expect(ollama.asked.length).toBe(6);
});
