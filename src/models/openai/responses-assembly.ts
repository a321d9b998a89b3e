/** Puts an answer of /responses together, which comes as events about its items, or whole where a service does not stream. */
import type { AssistantBlock } from "../../core/message.ts";
import type { ModelDelta } from "../../core/model.ts";
import type { Usage } from "../../core/usage.ts";
import { markedThinking } from "../provider/marked-thinking.ts";
import { AnswerSize, checkDepth } from "../service/answer-size.ts";
import { partialCommandReader } from "../service/partial-command.ts";
import { inputOf } from "./call-input.ts";
import type { Assembled, Assembly } from "./chat-assembly.ts";
import { finishOf } from "./finish-reason.ts";
import { NOTHING_REPORTED, reportedAfter, usageOf } from "./wire-usage.ts";

/** An item while it grows. `text`: of a message or of thinking; `json`: of a call's arguments. */
interface Growing {
	item: Record<string, unknown>;
	text: string;
	json: string;
	isDone: boolean;
	readonly readCommand: (piece: string) => string;
}

const THINKING_DELTA = /^response\.reasoning(?:_summary)?_text\.delta$/;
const TEXT_DELTA = /^response\.(?:output_text|refusal)\.delta$/;

export class ResponsesAssembly implements Assembly {
	private readonly items = new Map<number, Growing>();
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
		if (object === "response") return this.takeResponse(Object(event));
		if (response) return this.takeResponse(Object(response));
		return typeof type === "string" ? this.takeItemEvent(type, Object(event)) : [];
	}

	end(_stream: { isClean: boolean }): Assembled {
		if (this.word === undefined) return { is: "broken", reason: "the service's answer was cut off before its end" };
		const items = [...this.items].sort(([a], [b]) => a - b).map(([, item]) => item);
		const refusal = items.map(({ item }) => refusalIn(item)).join("");
		const content = items.flatMap((item) => this.blockOf(item) ?? []);
		checkDepth(content);
		const hasCalls = content.some(({ type }) => type === "tool_use");
		const finish = refusal === "" ? finishOf(this.word, hasCalls) : finishOf("refusal", false);
		if (finish.is === "broken")
			return { is: "broken", reason: `the service broke its answer off (status ${finish.word})` };
		const said = refusal === "" ? finish : { ...finish, stopWords: refusal };
		return { is: "whole", content, finish: said, model: this.model, messageId: this.messageId };
	}

	/** The state of the answer; its last one has the usage, and may have all items. */
	private takeResponse(response: Record<string, unknown>): ModelDelta[] {
		const { id, model, status, usage, output, incomplete_details: incomplete } = response;
		this.model ??= typeof model === "string" ? model : undefined;
		this.messageId ??= typeof id === "string" ? id : undefined;
		if (usage) this.reported = reportedAfter(this.reported, usage);
		if (status === "completed") this.word = "stop";
		if (status === "incomplete") this.word = String(Object(incomplete).reason ?? "incomplete");
		if (status === "cancelled") this.word = status;
		if (this.word === undefined || this.items.size > 0 || !Array.isArray(output)) return [];
		return output.flatMap((item, at) => this.done(at, Object(item)));
	}

	private takeItemEvent(type: string, event: Record<string, unknown>): ModelDelta[] {
		const index = Number.isInteger(event.output_index) ? (event.output_index as number) : this.items.size - 1;
		const text = typeof event.delta === "string" ? event.delta : "";
		if (type === "response.output_item.added") this.growing(index).item = Object(event.item);
		if (type === "response.output_item.done") return this.done(index, Object(event.item));
		if (text === "") return [];
		this.size.add({ text });
		const growing = this.growing(index);
		if (THINKING_DELTA.test(type)) return this.grown(growing, { kind: "thinking", text, block: index });
		if (TEXT_DELTA.test(type)) return this.grown(growing, { kind: "text", text, block: index });
		if (type !== "response.function_call_arguments.delta") return [];
		growing.json += text;
		const command = growing.readCommand(text);
		return command === "" ? [] : [{ kind: "command", text: command, block: index }];
	}

	private grown(growing: Growing, delta: ModelDelta): ModelDelta[] {
		growing.text += delta.text;
		return [delta];
	}

	/** The item as a whole, which counts for more than its pieces. Shows what no piece has shown. */
	private done(index: number, item: Record<string, unknown>): ModelDelta[] {
		const growing = this.growing(index);
		const isShown = growing.text !== "";
		this.size.add(isShown ? {} : item, true);
		growing.item = item;
		growing.isDone = true;
		if (typeof item.arguments === "string") growing.json = item.arguments;
		growing.text = textIn(item) || growing.text;
		if (isShown || growing.text === "") return [];
		return [{ kind: item.type === "reasoning" ? "thinking" : "text", text: growing.text, block: index }];
	}

	private growing(index: number): Growing {
		const known = this.items.get(index);
		const growing = known ?? { item: {}, text: "", json: "", isDone: false, readCommand: partialCommandReader() };
		if (known === undefined) {
			this.items.set(index, growing);
			this.size.add({}, true);
		}
		return growing;
	}

	private blockOf({ item, text, json, isDone }: Growing): AssistantBlock | undefined {
		if (item.type === "message") return text === "" ? undefined : { type: "text", text };
		if (item.type === "reasoning") {
			const data = isDone && typeof item.encrypted_content === "string" ? JSON.stringify(sentBack(item)) : "";
			return text === "" && data === "" ? undefined : markedThinking(text, this.service, data);
		}
		if (item.type !== "function_call") return undefined;
		const id = String(item.call_id ?? item.id ?? "");
		return { type: "tool_use", id, name: String(item.name ?? ""), input: isDone ? inputOf(json) : inputOf(`${json}…`) };
	}
}

/** Of thinking, what its service takes back when it has kept nothing of it. */
function sentBack({ type, id, summary, encrypted_content }: Record<string, unknown>): object {
	return { type, ...(typeof id === "string" && { id }), summary: summary ?? [], encrypted_content };
}

/** The text of an item's parts: of a message, or of thinking, which has it as a summary or as it was. */
function textIn({ type, content, summary }: Record<string, unknown>): string {
	const parts =
		type === "reasoning" ? [summary, content].find((list) => Array.isArray(list) && list.length > 0) : content;
	const texts = (Array.isArray(parts) ? parts : []).map((part) => Object(part).text);
	return texts.filter((text) => typeof text === "string").join(type === "reasoning" ? "\n\n" : "");
}

function refusalIn({ content }: Record<string, unknown>): string {
	const parts = Array.isArray(content) ? content : [];
	return parts
		.map((part) => Object(part).refusal)
		.filter((text) => typeof text === "string")
		.join("");
}
