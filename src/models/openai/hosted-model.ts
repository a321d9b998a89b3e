/**
 * Models of services with the protocol of OpenAI. What a service answers is bounded, read and judged here; the gateway decides
 * whether a call is made again, here it is only said that it may be, and in which way.
 */
import { defined } from "../../core/defined.ts";
import type { Effort } from "../../core/effort.ts";
import type { Model, ModelFailure, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import { countedUsage, type Usage } from "../../core/model/usage.ts";
import { oneLine, saysTemplateRefuses } from "../messages-api/failure.ts";
import { validContent } from "../messages-api/valid-content.ts";
import { hintAboutName } from "../provider/hint-about-name.ts";
import type { ModelHost } from "../provider/provider.ts";
import { boundedFetch } from "../service/bounded-fetch.ts";
import { type BoundedCall, boundedModel } from "../service/call-bounds.ts";
import {
	causesOf,
	failureOfBounds,
	failureOfBreak,
	failureOfToldError,
	saysUnknownModel,
	serviceErrorIn,
	unreachable,
	wordsIn,
} from "../service/call-failure.ts";
import { urlOf } from "../service/check-credentials.ts";
import { factsOfAnswer } from "../service/no-stream.ts";
import type { Proxied } from "../service/proxied-way.ts";
import { endpointOf, headersOf } from "./endpoint.ts";
import { answerBoundIn, learnedFrom, withLearned } from "./habits.ts";
import { type Host, serviceName } from "./host.ts";
import { immediateRetry, type Key, KeyRing, type KeyRingHost } from "./key-ring.ts";
import { modelsOf } from "./list-hosted.ts";
import { type Assembly, ChatAssembly } from "./messages/chat-assembly.ts";
import { type ChatMessage, chatMessages } from "./messages/chat-messages.ts";
import { readAnswer } from "./messages/read-answer.ts";
import { ResponsesAssembly } from "./messages/responses-assembly.ts";
import { responsesParams } from "./messages/responses-params.ts";
import { factsOfHosted, KNOWN_NAMES } from "./model-table.ts";
import { PromptCuts } from "./prompt-cuts.ts";
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
		try {
			const hint = await this.hintAbout(received.error, key);
			const outcome = this.outcomeOf(call, received, { assembly, key, hint });
			if (outcome.is === "reply") return (await this.cut(outcome.usage, call, attempt)) ?? outcome;
			const learned = this.learned(outcome, received.error, attempt);
			return learned ?? (await this.keys.failed(outcome, key));
		} catch (error) {
			// The answer has a shape that nobody thought of; another answer to the same request may have a known one.
			return unreachable(`the service's answer cannot be read: ${oneLine(causesOf(error))}`, assembly.usage());
		}
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

	private outcomeOf(
		{ request, call, bounds }: BoundedCall,
		{ response, error }: Received,
		{ assembly, key, hint }: Pick<Attempt, "assembly" | "key"> & { hint: string },
	): ModelOutcome {
		const { host, name } = this;
		const usage = assembly.usage();
		const end = assembly.end({ isClean: error === undefined && bounds.brokenBy === undefined });
		if (end.is === "broken") {
			if (bounds.brokenBy !== undefined) return failureOfBounds(bounds.brokenBy, usage, this.opened.proxied);
			return error === undefined ? unreachable(end.reason, usage) : this.failed(error, { response, key, usage, hint });
		}
		const { stopReason, stopWords } = end.finish; // what breaks after the end of an answer does no harm to it
		const { requestId } = response === undefined ? {} : factsOfAnswer(response);
		return {
			is: "reply",
			content: validContent(end.content, stopReason, { messages: request.messages, turn: call.turn }),
			stopReason,
			...(stopWords && { stopWords: oneLine(stopWords) }),
			usage: countedUsage(usage),
			model: end.model === undefined ? name : `${host.name}/${end.model}`,
			...defined({ requestId, messageId: end.messageId }),
		};
	}

	private failed(
		error: unknown,
		{ response, usage, ...of }: { response: Response | undefined; key: Key | undefined; usage: Usage; hint: string },
	): ModelFailure {
		const { proxied, now } = this.opened;
		const asked = { ...endpointOf(this.host, of.key, { proxied, now: now() }), hintAboutModel: of.hint };
		const told = serviceErrorIn(error)?.told;
		if (told !== undefined) return failureOfToldError(told, asked, usage);
		return failureOfBreak(error, { isConnected: response !== undefined, ...asked }, usage);
	}

	/** What is said of a name that the service does not know: the nearest of those that it has. */
	private async hintAbout(error: unknown, key: Key | undefined): Promise<string> {
		const told = serviceErrorIn(error)?.told;
		if (told === undefined || !saysUnknownModel(told)) return "";
		const { host, name } = this;
		const { nameFrom, proxied, now } = this.opened;
		const list = await modelsOf(host, key, { proxied, now: now(), withinMs: LIST_WITHIN_MS });
		const listed = list.is === "models" ? list.models.map((model) => model.name) : KNOWN_NAMES;
		return hintAboutName(name, listed, nameFrom);
	}

	/** A refusal that tells of the service's habits: the same call may be made at once, in another way. */
	private learned(failure: ModelFailure, error: unknown, { host, maxTokens }: Attempt): ModelFailure | undefined {
		const told = serviceErrorIn(error)?.told;
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

interface Received {
	/** Absent: the service has not answered with the status 200. */
	readonly response: Response | undefined;
	readonly error?: unknown;
}

/** The body of a request to /chat/completions. */
interface ChatParams {
	model: string;
	messages: ChatMessage[];
	tools: { type: "function"; function: { name: string; description: string; parameters: object } }[];
	stream: true;
	stream_options?: { include_usage: true };
	max_tokens?: number;
	max_completion_tokens?: number;
	tool_choice?: "none";
	reasoning_effort?: Effort;
	reasoning?: { effort: Effort };
}

/** `maxTokens`: the bound of the answer; undefined leaves it to the service. */
function chatParams(
	name: string,
	request: ModelRequest,
	{ host, maxTokens }: { host: Host; maxTokens: number | undefined },
): ChatParams {
	const { flags } = host;
	const { tools, mayUseTools, effort } = request;
	const model = serviceName(name);
	return {
		model,
		messages: chatMessages(request, { model, host }),
		tools: tools.map((tool) => ({
			type: "function",
			function: { name: tool.name, description: tool.description, parameters: tool.input_schema },
		})),
		stream: true,
		...(flags.streamUsage && { stream_options: { include_usage: true } }),
		...(maxTokens !== undefined && { [flags.maxTokens]: maxTokens }),
		...(!mayUseTools && flags.toolChoice && { tool_choice: "none" }),
		...effortParams(flags.effort, effort),
	};
}

function effortParams(
	field: Host["flags"]["effort"],
	effort: Effort | undefined,
): Pick<ChatParams, "reasoning_effort" | "reasoning"> {
	if (effort === undefined) return {};
	switch (field) {
		case "none":
			return {};
		case "reasoning_effort":
			return { reasoning_effort: effort };
		case "reasoning":
			return { reasoning: { effort } };
	}
}
