/**
 * Pieces of answers on their way to stream-json, as the Messages API streams them. Pieces that wait are joined, and when
 * too much waits because the reader is slow, the rest of that answer's pieces is left out: what comes is a beginning.
 */
import type { AgentId } from "../../core/model/agent.ts";
import type { ModelDelta } from "../../core/model/model.ts";

/** The event of one line. The pieces of a block of the kind `input_json_delta`, joined, are `{"command":"…"}`. */
export interface PieceEvent {
	readonly type: "content_block_delta";
	readonly index: number;
	readonly delta:
		| { readonly type: "text_delta"; readonly text: string }
		| { readonly type: "thinking_delta"; readonly thinking: string }
		| { readonly type: "input_json_delta"; readonly partial_json: string };
}

export interface AgentPiece {
	readonly agent: AgentId;
	readonly turn: number;
	readonly event: PieceEvent;
}

interface Block {
	readonly kind: ModelDelta["kind"];
	readonly index: number;
	/** The text that has not been taken yet. */
	text: string;
	/** True until something of the block has been taken. */
	isNew: boolean;
}

interface Answer {
	readonly turn: number;
	readonly blocks: Block[];
	isCut: boolean;
}

export class AnswerPieces {
	private readonly answers = new Map<AgentId, Answer>();
	/** The number of characters that wait. */
	waiting = 0;

	add(agent: AgentId, turn: number, { kind, text, block }: ModelDelta): void {
		const known = this.answers.get(agent);
		const answer = known?.turn === turn ? known : { turn, blocks: [], isCut: false };
		this.answers.set(agent, answer);
		if (answer.isCut) return;
		const last = answer.blocks.at(-1);
		const index = block ?? (last === undefined ? 0 : last.kind === kind ? last.index : last.index + 1);
		this.waiting += text.length;
		if (last !== undefined && last.kind === kind && last.index === index) last.text += text;
		else answer.blocks.push({ kind, index, text, isNew: true });
	}

	/**
	 * What waits, of all agents. A command goes on until another block begins, or its answer ends; and until then half a
	 * character at the end of a piece waits for its other half.
	 */
	take(): AgentPiece[] {
		return [...this.answers.keys()].flatMap((agent) => this.takeOf(agent, false));
	}

	/** Takes the rest of an answer that is complete, or broke. */
	end(agent: AgentId): AgentPiece[] {
		const rest = this.takeOf(agent, true);
		this.answers.delete(agent);
		return rest;
	}

	/** Forgets what waits, and what will come of the answers that stream now. */
	cut(): void {
		this.waiting = 0;
		for (const answer of this.answers.values()) {
			answer.isCut = true;
			answer.blocks.length = 0;
		}
	}

	private takeOf(agent: AgentId, isEnd: boolean): AgentPiece[] {
		const answer = this.answers.get(agent);
		if (answer === undefined) return [];
		const { turn, blocks } = answer;
		const last = blocks.at(-1);
		const held = last === undefined || isEnd ? "" : halfAtEndOf(last.text);
		if (last !== undefined) last.text = last.text.slice(0, last.text.length - held.length);
		const pieces = blocks.flatMap((block, at) => {
			const delta = deltaOf({ ...block, text: block.text.toWellFormed() }, isEnd || at < blocks.length - 1);
			return delta === undefined
				? []
				: [{ agent, turn, event: { type: "content_block_delta", index: block.index, delta } as const }];
		});
		for (const block of blocks) this.waiting -= block.text.length;
		answer.blocks.splice(
			0,
			blocks.length,
			...(last === undefined ? [] : [{ ...last, text: held, isNew: last.isNew && last.text === "" }]),
		);
		return pieces;
	}
}

function halfAtEndOf(text: string): string {
	return /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
}

function deltaOf({ kind, text, isNew }: Block, isClosed: boolean): PieceEvent["delta"] | undefined {
	if (kind === "command") {
		const json = `${isNew ? '{"command":"' : ""}${JSON.stringify(text).slice(1, -1)}${isClosed ? '"}' : ""}`;
		return json === "" ? undefined : { type: "input_json_delta", partial_json: json };
	}
	if (text === "") return undefined;
	return kind === "text" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text };
}
