/**
 * Models of services with the protocol of OpenAI. What a service answers is bounded, read and judged here; the gateway decides
 * whether a call is made again, here it is only said that it may be, and in which way.
 */
import type { Model, ModelFailure, ModelOutcome } from "../../core/model/model.ts";
import type { Usage } from "../../core/model/usage.ts";
import { saysTemplateRefuses } from "../protocol/failure.ts";
import { hintAboutName, type ModelHost } from "../provider/provider.ts";
import { boundedFetch } from "../service/bounded-fetch.ts";
import { type BoundedCall, boundedModel } from "../service/call-bounds.ts";
import { saysUnknownModel, toldIn, wordsIn } from "../service/call-failure.ts";
import { urlOf } from "../service/check-credentials.ts";
import type { Proxied } from "../service/proxy.ts";
import { outcomeOf, type Received } from "../service/service-answer.ts";
import { endpointOf, type Host, headersOf, serviceName } from "./host.ts";
import { immediateRetry, type Key, KeyRing, type KeyRingHost } from "./keys.ts";
import { factsOfHosted, KNOWN_NAMES } from "./known-hosts.ts";
import { modelsOf } from "./list-hosted.ts";
import { type Assembly, ChatAssembly } from "./messages/chat-assembly.ts";
import { chatParams } from "./messages/chat-params.ts";
import { readAnswer } from "./messages/read-answer.ts";
import { ResponsesAssembly } from "./messages/responses-assembly.ts";
import { responsesParams } from "./messages/responses-params.ts";
import { PromptCuts } from "./prompt-cuts.ts";
import { answerBoundIn, learnedFrom, withLearned } from "./quirks.ts";
import { openClient } from "./sdk-client.ts";

type OpenHost = Pick<ModelHost, "maxSilenceMs" | "nameFrom" | "now"> &
	KeyRingHost & {
		readonly host: Host;
		readonly keys: readonly Key[];
		readonly proxied?: Proxied;
	};

/** `name`: with the host before it. */
export function openHosted(name: string, opened: OpenHost): Model {
	const model = new HostedModel(name, opened);
	const { host, maxSilenceMs } = opened;
	return boundedModel({ name, service: host.name, maxSilenceMs }, (call) => model.ask(call));
}

class HostedModel {
	private readonly name: string;
	private readonly opened: OpenHost;
	private readonly keys: KeyRing;
	private readonly cuts = new PromptCuts();
	/** As it is known by now. */
	private host: Host;
	/** The longest answer that the service was found to take. */
	private answerBound = Number.POSITIVE_INFINITY;

	constructor(name: string, opened: OpenHost) {
		this.name = name;
		this.opened = opened;
		this.host = opened.host;
		this.keys = new KeyRing(opened.keys, opened);
	}

	async ask(call: BoundedCall): Promise<ModelOutcome> {
		const { host } = this;
		const key = this.keys.current();
		const assembly =
			host.protocol === "chat" ? new ChatAssembly(host.name, serviceName(this.name)) : new ResponsesAssembly(host.name);
		const maxTokens = this.boundOf(call.request.maxTokens);
		const asked = { host, maxTokens };
		const body =
			host.protocol === "chat"
				? chatParams(this.name, call.request, asked)
				: responsesParams(this.name, call.request, asked);
		const attempt = { assembly, host, key, maxTokens, body };
		const tooLong = host.flags.cutsPrompts && this.cuts.tooLong(promptIn(body), call.call.agent);
		if (tooLong) return tooLong;
		const received = await this.receive(call, attempt);
		const { proxied, now } = this.opened;
		const hintAboutModel = await this.hintAbout(received.error, key);
		const endpoint = { ...endpointOf(this.host, key, { proxied, now: now() }), hintAboutModel };
		const nameOf = (model: string | undefined) => (model === undefined ? this.name : `${host.name}/${model}`);
		const outcome = outcomeOf(call, received, { assembly, asked: endpoint, nameOf });
		if (outcome.is === "reply") return (await this.cut(outcome.usage, call, attempt)) ?? outcome;
		return this.learned(outcome, received.error, attempt) ?? (await this.keys.failed(outcome, key));
	}

	/** The bound of an answer to send. Where the model's own is not known, only one that a budget asks for. */
	private boundOf(asked: number | undefined): number | undefined {
		const { isUnbounded, maxAnswerTokens } = factsOfHosted(this.name);
		const known = isUnbounded ? Number.POSITIVE_INFINITY : maxAnswerTokens;
		const bound = Math.min(asked ?? Number.POSITIVE_INFINITY, known, this.answerBound);
		return Number.isFinite(bound) ? bound : undefined;
	}

	private async receive({ call, bounds }: BoundedCall, { assembly, host, key, body }: Attempt): Promise<Received> {
		const { now } = this.opened;
		let response: Response | undefined;
		try {
			const path = host.protocol === "chat" ? "/chat/completions" : "/responses";
			const options = { body, stream: true, signal: bounds.signal } as const;
			response = await openClient(host, key?.value, this.opened.proxied?.fetch)
				.post(urlOf(host.baseUrl, path), options)
				.asResponse();
			await readAnswer(response, { assembly, call, bounds, now: now() });
			return { response };
		} catch (error) {
			return { response, error };
		}
	}

	/** The failure that an answer is when the service has silently dropped a part of the prompt. */
	private async cut(
		usage: Usage,
		{ call: { agent } }: BoundedCall,
		{ host, key, assembly, body }: Attempt,
	): Promise<ModelFailure | undefined> {
		if (assembly.servedBy === OLLAMA) this.host = withLearned(this.host, { flags: { cutsPrompts: true } });
		if (!this.host.flags.cutsPrompts) return undefined;
		const { baseUrl } = host;
		const fetchOnce = boundedFetch(this.opened.proxied?.fetch ?? fetch);
		const ollama = { baseUrl, model: serviceName(this.name), headers: headersOf(host, key), fetch: fetchOnce };
		return this.cuts.cut(promptIn(body), usage, { agent, ollama });
	}

	/** What is said of a name that the service does not know: the nearest of those that it has. */
	private async hintAbout(error: unknown, key: Key | undefined): Promise<string> {
		const told = toldIn(error);
		if (told === undefined || !saysUnknownModel(told)) return "";
		const { host, name } = this;
		const { nameFrom, proxied, now } = this.opened;
		const list = await modelsOf(host, key, { proxied, now: now(), withinMs: LIST_WITHIN_MS });
		const listed = list.is === "models" ? list.models.map((model) => model.name) : KNOWN_NAMES;
		return hintAboutName(name, listed, nameFrom);
	}

	/** A refusal that tells of the service's quirks: the same call may be made at once, in another way. */
	private learned(failure: ModelFailure, error: unknown, { host, maxTokens }: Attempt): ModelFailure | undefined {
		const told = toldIn(error);
		if (told === undefined) return undefined;
		const words = wordsIn(told.body);
		if (![400, 404, 422].includes(told.status ?? 400) && !saysTemplateRefuses(words)) return undefined;
		const bound = maxTokens === undefined ? undefined : answerBoundIn(words);
		if (bound !== undefined && maxTokens !== undefined && bound < maxTokens) {
			this.answerBound = bound;
			return immediateRetry(failure, `retried with at most ${bound} tokens`);
		}
		const learned = learnedFrom(words, host);
		if (learned === undefined) return undefined;
		this.host = withLearned(this.host, learned);
		return immediateRetry(failure, `retried ${learned.words}`);
	}
}

const OLLAMA = "fp_ollama"; // its answers say so, whatever name its address was given
const LIST_WITHIN_MS = 5_000; // its agent waits for it

interface Attempt {
	readonly assembly: Assembly;
	/** As it was known when the call began. Calls run side by side, and each may learn something. */
	readonly host: Host;
	readonly key: Key | undefined;
	readonly maxTokens: number | undefined;
	readonly body: Body;
}

type Body = ReturnType<typeof chatParams> | ReturnType<typeof responsesParams>;

/** All that the model reads. The prompt of a conversation that goes on begins with that of before. */
function promptIn(body: Body): string {
	const { tools } = body;
	const said = "messages" in body ? body.messages : [body.instructions, ...body.input];
	return [tools, ...said].map((one) => JSON.stringify(one)).join("\n");
}
