/** Puts an answer of /responses together, which comes as events about its items, or whole where a service does not stream. */
import type { AssistantBlock } from "../../core/message.ts";
import type { ModelDelta } from "../../core/model.ts";
import type { Usage } from "../../core/usage.ts";
import { markedThinking } from "../provider/marked-thinking.ts";
import { AnswerSize, checkDepth } from "../service/answer-size.ts";
import { inputOf } from "./call-input.ts";
import type { Assembled, Assembly } from "./chat-assembly.ts";
import { finishOf } from "./finish-reason.ts";
import { type GrowingItem, jsonIn, ResponseItems, type WireItem } from "./response-items.ts";
import { NOTHING_REPORTED, reportedAfter, usageOf } from "./wire-usage.ts";

const THINKING_DELTA = /^response\.reasoning(?:_summary)?_text\.delta$/;
const TEXT_DELTA = /^response\.(?:output_text|refusal)\.delta$/;
/** How chat services call the end of a whole answer. */
const FINISHED = "stop";
const ARGUMENTS = /^response\.function_call_arguments\.(?:delta|done)$/;
/** The events of the answer's own end, each with the status that it stands for where the answer has none. */
const ENDS: Readonly<Record<string, string>> = {
	...{ "response.completed": "completed", "response.done": "completed", "response.incomplete": "incomplete" },
	...{ "response.failed": "failed", "response.cancelled": "cancelled" },
};

export class ResponsesAssembly implements Assembly {
	private readonly items = new ResponseItems();
	private readonly size = new AnswerSize();
	private readonly service: string;
	private reported = NOTHING_REPORTED;
	private model: string | undefined;
	private messageId: string | undefined;
	private word: string | undefined;

	constructor(service: string) {
		this.service = service;
	}

	get isEnded(): Assembly["isEnded"] {
		return this.word === undefined ? "no" : "with_usage";
	}

	get progress(): number {
		return this.size.chars + (this.messageId === undefined ? 0 : 1);
	}

	usage(): Usage {
		return usageOf(this.reported);
	}

	take(event: unknown): ModelDelta[] {
		const { type, response, object } = Object(event);
		if (object === "response") return this.takeResponse(Object(event), undefined);
		if (response) return this.takeResponse(Object(response), ENDS[type]);
		return typeof type === "string" ? this.takeItemEvent(type, Object(event)) : [];
	}

	end(_stream: { isClean: boolean }): Assembled {
		if (this.word === undefined) return { is: "broken", reason: "the service's answer was cut off before its end" };
		const items = this.items.all;
		const refusal = items.map(({ item, refusal }) => refusalIn(item) || refusal).join("");
		const content = items.flatMap((item) => this.blockOf(item) ?? []);
		checkDepth(content);
		const hasCalls = content.some(({ type }) => type === "tool_use");
		const finish = refusal === "" ? finishOf(this.word, hasCalls) : finishOf("refusal", false);
		if (finish.is === "broken")
			return { is: "broken", reason: `the service broke its answer off (status ${finish.word})` };
		const said = refusal === "" ? finish : { ...finish, stopWords: refusal };
		return { is: "whole", content, finish: said, model: this.model, messageId: this.messageId };
	}

	/** The state of the answer; its last one has the usage, and may have all items. `ended`: the status that its event stands for. */
	private takeResponse(response: WireItem, ended: string | undefined): ModelDelta[] {
		const { id, model, usage, output, incomplete_details: incomplete } = response;
		const status = response.status ?? ended;
		this.model ??= typeof model === "string" ? model : undefined;
		this.messageId ??= typeof id === "string" ? id : undefined;
		if (usage) this.reported = reportedAfter(this.reported, usage);
		if (status === "completed") this.word = FINISHED;
		if (status === "incomplete") this.word = String(Object(incomplete).reason ?? "incomplete");
		if (status === "cancelled" || status === "failed") this.word = status;
		if (this.word === undefined || !Array.isArray(output)) return [];
		return this.items.amongAll(output.map(Object)).flatMap(({ growing, item }) => this.done(growing, item));
	}

	private takeItemEvent(type: string, event: WireItem): ModelDelta[] {
		if (type === "response.output_item.added") this.begun(event);
		if (type === "response.output_item.done") return this.done(this.items.ended(event), Object(event.item));
		const text = typeof event.delta === "string" ? event.delta : "";
		if (ARGUMENTS.test(type)) return this.takeArguments(event, text);
		if (text === "") return [];
		this.size.add({ text });
		if (THINKING_DELTA.test(type)) return grown(this.items.ofPiece(event, "reasoning"), { kind: "thinking", text });
		if (!TEXT_DELTA.test(type)) return [];
		const growing = this.items.ofPiece(event, "message");
		if (type === "response.refusal.delta") growing.refusal += text;
		return grown(growing, { kind: "text", text });
	}

	private begun(event: WireItem): void {
		this.items.begun(event);
		this.size.add({}, true);
	}

	/** A piece of a call's arguments, or all of them. */
	private takeArguments(event: WireItem, piece: string): ModelDelta[] {
		const growing = this.items.ofPiece(event, "function_call");
		const whole = jsonIn(event);
		this.size.add({ text: piece });
		growing.json = whole || growing.json + piece;
		growing.isDone ||= whole !== "";
		const command = growing.readCommand(piece);
		return command === "" ? [] : [{ kind: "command", text: command, block: growing.block }];
	}

	/** The item as a whole, which counts for more than its pieces. Shows what no piece has shown. */
	private done(growing: GrowingItem, item: WireItem): ModelDelta[] {
		const shown = growing.text;
		this.size.add(shown === "" && !growing.isDone ? item : {}, true);
		growing.item = { ...growing.item, ...item };
		growing.isDone = true;
		growing.json = jsonIn(item) || growing.json;
		growing.text = textIn(item) || shown;
		const text = growing.text.startsWith(shown) ? growing.text.slice(shown.length) : "";
		return text === "" ? [] : [{ kind: item.type === "reasoning" ? "thinking" : "text", text, block: growing.block }];
	}

	private blockOf({ item, text, json, isDone }: GrowingItem): AssistantBlock | undefined {
		if (item.type === "message") return text === "" ? undefined : { type: "text", text };
		if (item.type === "reasoning") {
			const data = isDone && typeof item.encrypted_content === "string" ? JSON.stringify(sentBack(item)) : "";
			return text === "" && data === "" ? undefined : markedThinking(text, this.service, data);
		}
		if (item.type !== "function_call") return undefined;
		const id = String(item.call_id ?? item.id ?? "");
		const isWhole = (isDone || this.word === FINISHED) && item.status !== "incomplete";
		const given = json || jsonIn(item);
		return { type: "tool_use", id, name: String(item.name ?? ""), input: inputOf(isWhole ? given : `${given}…`) };
	}
}

function grown(growing: GrowingItem, delta: Omit<ModelDelta, "block">): ModelDelta[] {
	growing.text += delta.text;
	return [{ ...delta, block: growing.block }];
}

/** Of thinking, what its service takes back when it has kept nothing of it. */
function sentBack({ type, id, summary, encrypted_content }: WireItem): object {
	return { type, ...(typeof id === "string" && { id }), summary: summary ?? [], encrypted_content };
}

/** The text of an item's parts: of a message, or of thinking, which has it as a summary or as it was. */
function textIn({ type, content, summary }: WireItem): string {
	const parts =
		type === "reasoning" ? [summary, content].find((list) => Array.isArray(list) && list.length > 0) : content;
	const texts = (Array.isArray(parts) ? parts : []).map((part) => Object(part).text);
	return texts.filter((text) => typeof text === "string").join(type === "reasoning" ? "\n\n" : "");
}

function refusalIn({ content }: WireItem): string {
	const parts = Array.isArray(content) ? content : [];
	return parts
		.map((part) => Object(part).refusal)
		.filter((text) => typeof text === "string")
		.join("");
}
