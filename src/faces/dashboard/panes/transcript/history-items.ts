/** The items of the selected agent's transcript. They are made again only when there is more of it. */
import type { TranscriptEntry } from "../../../../core/model/transcript.ts";
import type { RunEvent } from "../../../../core/run/run-event.ts";
import { ItemList } from "../../../../view/transcript/collect.ts";
import type { SaidItem, TranscriptItem } from "../../../../view/transcript/items.ts";
import { inOrder } from "../../../../view/transcript/merge.ts";
import { Transcript } from "../../../../view/transcript/transcript.ts";
import { saidKey } from "../../../../view/transcript/turns.ts";
import type { AgentHistory } from "../../scene/agent-history.ts";

export interface HistoryItems {
	/** Those that no longer change. */
	readonly settled: readonly TranscriptItem[];
	/** The newest turn, and what came since. */
	readonly rest: readonly TranscriptItem[];
	/** The commands that have no result so far, or never will have one. */
	readonly openCommands: readonly number[];
	/** So many calls were made for the turn that streams before its newest one. */
	readonly triesOf: (turn: number) => number;
}

const cache = new WeakMap<readonly TranscriptEntry[], { of: unknown[]; items: HistoryItems }>();

/** `task`: stands above. `endedAt`: when the agent ended, if it has. */
export function itemsOf(history: AgentHistory, task: string, endedAt: number | undefined): HistoryItems {
	const of = [history.happened, history.broken, history.firstEntry, history.unreadBytes, task, endedAt];
	const cached = cache.get(history.entries);
	if (cached?.of.every((one, at) => one === of[at])) return cached.items;
	const items = read(history, task, endedAt);
	cache.set(history.entries, { of, items });
	return items;
}

/** What happened before the first entry that is read is told with the entries before it. */
function read(history: AgentHistory, task: string, endedAt: number | undefined): HistoryItems {
	const { agent, entries, firstEntry, unreadBytes, happened } = history;
	const from = unreadBytes === 0 ? 0 : (entries[0]?.at ?? 0);
	const events = from === 0 ? happened : happened.filter(({ at }) => at >= from);
	const transcript = new Transcript(agent, task);
	const list = new ItemList();
	let number = firstEntry;
	for (const item of inOrder(events, entries)) {
		for (const piece of piecesBefore(history, item.is === "event" ? item.event : item.entry))
			list.take(transcript.piece(piece));
		list.take(item.is === "event" ? transcript.event(item.event) : transcript.entry(item.entry, number++));
	}
	list.take(endedAt === undefined ? transcript.standing() : transcript.ended(endedAt));
	return {
		settled: list.items.slice(0, list.settled),
		rest: list.items.slice(list.settled),
		openCommands: transcript.openCommands.flatMap(({ command }) => command ?? []),
		triesOf: (turn) => transcript.triesOf(turn),
	};
}

/** What had streamed of the call that broke by what comes next. */
function piecesBefore({ broken }: AgentHistory, next: RunEvent | TranscriptEntry) {
	if (broken.length === 0 || !("turn" in next)) return [];
	const found = broken.find(({ turn, at }) => turn === next.turn && at === next.at);
	return found?.pieces.map((delta) => ({ turn: found.turn, delta })) ?? [];
}

/** The answer that streams. */
export function streamingItems({ live }: AgentHistory, { triesOf }: HistoryItems): SaidItem[] {
	if (live === undefined) return [];
	const { turn, pieces } = live;
	return pieces.map(({ kind, text, block }, index): SaidItem => {
		const key = saidKey(turn, triesOf(turn), block ?? index);
		return { is: "said", key, turn, kind, text, state: "streaming" };
	});
}
