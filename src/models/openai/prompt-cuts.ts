/**
 * Ollama drops the beginning of a prompt that is longer than its context, answers with 200, and counts what is left. That it did is told
 * from its context, which it says when it is asked, or from a count that is far too low. What it answered then is no answer.
 */
import { createHash } from "node:crypto";
import type { AgentId } from "../../core/model/agent.ts";
import type { ModelFailure } from "../../core/model/model.ts";
import { NO_USAGE, totalTokens, type Usage } from "../../core/model/usage.ts";
import { jsonOf } from "../protocol/service-words.ts";
import { beginningOf, type Fetch } from "../service/bounded-fetch.ts";

export interface Ollama {
	/** With its path, as calls have it. */
	readonly baseUrl: string;
	/** By its own name. */
	readonly model: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly fetch: Fetch;
}

const BYTES_A_TOKEN = 4;
const MOST_BYTES_A_TOKEN = 8; // of a whole prompt: only runs of white space have more
const MOST_LESS_DENSE = 1.5; // what is new in a prompt, than what was counted before
const LEAST_BYTES = 8_000; // a shorter prompt tells too little
const LEAST_READ = 256; // what is left of a cut prompt has more: a lower number is no count of it
const LEAST_OF_BEFORE = 0.95; // templates add other words at other places
const LEAST_NEW = 2_000; // bytes; fewer may be no token more
const MOST_OF_NEW = 40; // bytes a token, of that alone
const FULL = 0.98; // of the context: a cut prompt fills it, or half of it
const ASK_WITHIN_MS = 2_000;
const MOST_ASKED = 3; // before a model is loaded, nothing may be known

const MORE = "set OLLAMA_CONTEXT_LENGTH on the server, or num_ctx of the model, for more";

/** `isExact`: else it may have less. */
interface Window {
	readonly tokens: number;
	readonly isExact: boolean;
}

/** What was counted for the newest prompt of an agent. */
interface Counted {
	readonly chars: number;
	readonly digest: string;
	readonly bytes: number;
	readonly tokens: number;
}

export class PromptCuts {
	private window: Window | undefined;
	private timesAsked = 0;
	private readonly counted = new Map<AgentId, Counted>();

	/** Before the call: the failure of a prompt that is surely longer than the context. `prompt`: JSON of all that is sent. */
	tooLong(prompt: string, agent: AgentId): ModelFailure | undefined {
		const { tokens: maxTokens = Number.POSITIVE_INFINITY } = this.window ?? {};
		if (this.leastTokens(prompt, agent) <= maxTokens) return undefined;
		const reason = `the prompt is longer than the service's context (${maxTokens} tokens), and its beginning would be dropped`;
		return failure(prompt, { reason, maxTokens, usage: NO_USAGE });
	}

	/** After an answer with this usage: the failure that it is when the service has read but a part of the prompt. */
	async cut(
		prompt: string,
		usage: Usage,
		{ agent, ollama }: { agent: AgentId; ollama: Ollama },
	): Promise<ModelFailure | undefined> {
		if (this.window?.isExact !== true && this.timesAsked++ < MOST_ASKED) this.window = await windowOf(ollama);
		const tokens = totalTokens(usage) - usage.output;
		if (tokens === 0) return undefined; // it has counted nothing
		if (this.isCut(prompt, tokens, agent)) {
			const exact = this.window?.isExact ? this.window.tokens : undefined;
			const known = exact === undefined ? "" : `; its context has ${exact}`;
			const reason = `the service dropped the beginning of the prompt (it read ${tokens} of about ${estimate(prompt)} tokens${known})`;
			return failure(prompt, { reason, maxTokens: exact ?? tokens, usage });
		}
		const bytes = Buffer.byteLength(prompt);
		this.counted.set(agent, { chars: prompt.length, digest: digest(prompt), bytes, tokens });
		return undefined;
	}

	private isCut(prompt: string, tokens: number, agent: AgentId): boolean {
		const { window } = this;
		if (window && (tokens >= FULL * window.tokens || this.leastTokens(prompt, agent) > window.tokens)) return true;
		if (tokens < LEAST_READ) return false;
		const bytes = Buffer.byteLength(prompt);
		const before = this.before(prompt, agent); // the same beginning, and more behind it
		const hasShrunk = before !== undefined && tokens < LEAST_OF_BEFORE * before.tokens;
		const newBytes = bytes - (before?.bytes ?? 0);
		const hasNotGrown =
			before !== undefined && newBytes >= LEAST_NEW && tokens - before.tokens < newBytes / MOST_OF_NEW;
		const mostBytes = (window?.isExact ? 1 : 1.5) * MOST_BYTES_A_TOKEN;
		return hasShrunk || hasNotGrown || (bytes >= LEAST_BYTES && bytes / tokens > mostBytes);
	}

	private leastTokens(prompt: string, agent: AgentId): number {
		const { tokens, bytes } = this.before(prompt, agent) ?? { tokens: 0, bytes: 0 };
		const bytesAToken = tokens === 0 ? MOST_BYTES_A_TOKEN : MOST_LESS_DENSE * (bytes / tokens);
		return tokens + (Buffer.byteLength(prompt) - bytes) / bytesAToken;
	}

	/** The agent's prompt of before, when this one goes on from it. */
	private before(prompt: string, agent: AgentId): Counted | undefined {
		const before = this.counted.get(agent);
		return before !== undefined && digest(prompt.slice(0, before.chars)) === before.digest ? before : undefined;
	}
}

/** `maxTokens`: of the context, as far as it is known. */
function failure(
	prompt: string,
	{ reason, maxTokens, usage }: { reason: string; maxTokens: number; usage: Usage },
): ModelFailure {
	const contextFull = { promptTokens: Math.max(estimate(prompt), maxTokens + 1), maxTokens };
	return { is: "failure", reason: `${reason}; ${MORE}`, exitCode: 1, usage, contextFull };
}

function estimate(prompt: string): number {
	return Math.ceil(Buffer.byteLength(prompt) / BYTES_A_TOKEN);
}

function digest(text: string): string {
	return createHash("sha1").update(text).digest("base64");
}

/** The context of the model as it is loaded, else as it is set, else the most that it may have; undefined when nobody says. */
async function windowOf(ollama: Ollama): Promise<Window | undefined> {
	const { models } = Object(await askedFor(ollama, "/api/ps"));
	const isIt = ({ name, model }: Record<string, unknown>) =>
		[name, model].some((word) => word === ollama.model || word === `${ollama.model}:latest`);
	const loaded = (Array.isArray(models) ? models : []).map(Object).find(isIt);
	if (isSize(loaded?.context_length)) return { tokens: loaded.context_length, isExact: true };
	const { parameters, model_info: info } = Object(await askedFor(ollama, "/api/show", { model: ollama.model }));
	const [, set] = /^\s*num_ctx\s+(\d+)\s*$/m.exec(String(parameters)) ?? [];
	const most = Object.entries(Object(info)).find(([key]) => key.endsWith(".context_length"))?.[1];
	if (isSize(Number(set))) return { tokens: Number(set), isExact: true };
	return isSize(most) ? { tokens: most, isExact: false } : undefined;
}

function isSize(value: unknown): value is number {
	return Number.isInteger(value) && (value as number) > 0;
}

/** The JSON of its own API, beside that of the protocol; undefined where there is none. */
async function askedFor({ baseUrl, headers, fetch }: Ollama, path: string, body?: object): Promise<unknown> {
	const url = new URL(baseUrl);
	url.pathname = `${url.pathname.replace(/\/v1\/?$/, "").replace(/\/$/, "")}${path}`;
	const post = body && { method: "POST", body: JSON.stringify(body) };
	try {
		const response = await fetch(url.href, { headers, ...post, signal: AbortSignal.timeout(ASK_WITHIN_MS) });
		return response.ok ? jsonOf(await beginningOf(response)) : undefined;
	} catch {
		return undefined;
	}
}
