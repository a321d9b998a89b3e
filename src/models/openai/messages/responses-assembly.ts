/** Puts an answer of /responses together, which comes as events about its items, or whole where a service does not stream. */
import type { AssistantBlock } from "../../../core/model/message.ts";
import type { ModelDelta } from "../../../core/model/model.ts";
import type { Usage } from "../../../core/model/usage.ts";
import { markedThinking } from "../../provider/marked-thinking.ts";
import { AnswerSize, checkDepth } from "../../service/answer-size.ts";
import { partialCommandReader } from "../../service/partial-command.ts";
import { type Assembled, CUT_OFF } from "../../service/service-answer.ts";
import { finishOf, NOTHING_REPORTED, reportedAfter, usageOf } from "./answer-end.ts";
import type { Assembly } from "./chat-assembly.ts";
import { inputOf } from "./tool-calls.ts";

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
		if (this.word === undefined) return CUT_OFF;
		const items = this.items.all;
		const refusal = items.map(({ item, refusal }) => refusalIn(item) || refusal).join("");
		const content = items.flatMap((item) => this.blockOf(item) ?? []);
		checkDepth(content);
		const hasCalls = content.some(({ type }) => type === "tool_use");
		const finish = refusal === "" ? finishOf(this.word, hasCalls) : finishOf("refusal", false);
		if (finish.is === "broken")
			return { is: "broken", reason: `the service broke off its answer (status ${finish.word})` };
		const said = refusal === "" ? finish : { ...finish, stopWords: refusal };
		return { ...said, is: "whole", content, model: this.model, messageId: this.messageId };
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

/**
 * The items of an answer of /responses while they grow. By the protocol events name their item by `output_index`. Services leave it
 * out, give each item the same one, or send the items whole, at their end or at that of the answer. So which item an event is of
 * is told from all that it has.
 */
type WireItem = Readonly<Record<string, unknown>>;

/** `text`: of a message or of thinking; `json`: of a call's arguments. */
interface GrowingItem {
	readonly index: number;
	/** Its place among those that have come, by which its pieces are shown. */
	readonly block: number;
	item: WireItem;
	text: string;
	refusal: string;
	json: string;
	isDone: boolean;
	readonly readCommand: (piece: string) => string;
}

class ResponseItems {
	private readonly items: GrowingItem[] = [];

	/** In the order in which the answer has them. */
	get all(): readonly GrowingItem[] {
		return [...this.items].sort((a, b) => a.index - b.index);
	}

	/** The item that the event begins, which pieces of it may have begun. */
	begun(event: WireItem): GrowingItem {
		const item: WireItem = Object(event.item);
		const index = indexIn(event);
		const open = this.items.find((other) => !other.isDone && other.item.type === undefined && other.index === index);
		const growing = open ?? this.begin(index);
		growing.item = item;
		return growing;
	}

	/** The item that a piece is of. `type`: that of the item which such a piece begins, where nothing else has. */
	ofPiece(event: WireItem, type: string): GrowingItem {
		const { item_id: id } = event;
		const index = indexIn(event);
		const newest = [...this.items].reverse();
		const found =
			newest.find(({ item }) => typeof id === "string" && id !== "" && item.id === id) ??
			newest.find((other) => index !== undefined && other.index === index) ??
			(index === undefined ? newest[0] : undefined);
		const growing = found ?? this.begin(index);
		if (growing.item.type === undefined) growing.item = { type };
		return growing;
	}

	/** The item that the event has as a whole. */
	ended(event: WireItem): GrowingItem {
		const item: WireItem = Object(event.item);
		const index = indexIn(event);
		const isHere = (other: GrowingItem) => index === undefined || other.index === index;
		const fits = this.items.filter((other) => isOfType(other.item, item.type));
		const known =
			fits.find((other) => isHere(other) && hasIdOf(other.item, item)) ??
			fits.find((other) => !other.isDone && hasIdOf(other.item, item)) ??
			fits.find((other) => !other.isDone && isHere(other) && !hasOtherId(other.item, item));
		const isOther = known?.isDone && jsonIn(item) !== "" && jsonIn(item) !== known.json; // a second call with the id of the first
		return known === undefined || isOther ? this.begin(index) : known;
	}

	/**
	 * The items in place of those of the whole answer at its end, which may have other ids than before: of each type the first is
	 * the first, and so on.
	 */
	amongAll(output: readonly WireItem[]): { growing: GrowingItem; item: WireItem }[] {
		const before = this.all;
		const seen = new Map<unknown, number>();
		return output.map((item) => {
			const n = seen.get(item.type) ?? 0;
			seen.set(item.type, n + 1);
			const growing = before.filter((other) => isOfType(other.item, item.type))[n];
			return { growing: growing ?? this.begin(undefined), item };
		});
	}

	private begin(index: number | undefined): GrowingItem {
		const block = this.items.length;
		const growing: GrowingItem = {
			...{ index: index ?? this.items.reduce((next, item) => Math.max(next, item.index + 1), 0), block },
			...{ item: {}, text: "", refusal: "", json: "", isDone: false, readCommand: partialCommandReader() },
		};
		this.items.push(growing);
		return growing;
	}
}

/** The arguments of a call as JSON; empty for an item without any. */
function jsonIn({ arguments: given }: WireItem): string {
	if (typeof given === "string") return given;
	return typeof given === "object" && given !== null ? JSON.stringify(given) : "";
}

function indexIn({ output_index: index }: WireItem): number | undefined {
	return Number.isInteger(index) ? (index as number) : undefined;
}

function isOfType(item: WireItem, type: unknown): boolean {
	return item.type === undefined || item.type === type;
}

function idsOf({ id, call_id }: WireItem): unknown[] {
	return [call_id, id].filter((word) => typeof word === "string" && word !== "");
}

function hasIdOf(item: WireItem, other: WireItem): boolean {
	const ids = idsOf(other);
	return idsOf(item).some((id) => ids.includes(id));
}

function hasOtherId(item: WireItem, other: WireItem): boolean {
	return idsOf(item).length > 0 && idsOf(other).length > 0 && !hasIdOf(item, other);
}
