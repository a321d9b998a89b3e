/**
 * Where in the event log the events of each agent stand, so that those of one can be read without the others: a log may have
 * hundreds of thousands. It is read once, in pieces, and then what is added.
 */
import { closeSync, readSync } from "node:fs";
import { type AgentId, parentOf, withAncestors } from "../core/model/agent.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import { MAX_LINE_BYTES } from "./files/json-lines.ts";
import { openRegular } from "./files/regular-file.ts";
import { parseEvent } from "./read-events.ts";
import { eventsPath } from "./run-directory.ts";

const LINE_FEED = 0x0a;
const MOST_LOOKED_AT = 2_000; // bytes of a line in which the agent's name stands, since a text may be long
const OF_AGENT = /"(?:agent|parent)":"([\d.]{1,200})"/;
const FOR_ALL_BELOW = /^\{"event":"(?:agent_paused|agent_continued|agent_stopping)"/;
const FOR_PARENT = /^\{"event":"agent_(?:joined|resumed|ended)"/;
const FOR_ALL = /^\{"event":"run_resumed"/;

const OF_RUN = "";
const OF_ALL = "all";

interface Span {
	readonly from: number;
	readonly to: number;
}

export class EventIndex {
	private readonly path: string;
	private readonly spans = new Map<string, Span[]>();
	private at = 0;

	constructor(directory: string) {
		this.path = eventsPath(directory);
	}

	/** Reads on for about so many bytes; false when there is more. Throws AgentreeError("not_found") when the log cannot be read. */
	readOn(bytes: number): boolean {
		const file = openRegular(this.path);
		if (file === undefined) return true;
		try {
			return this.readFrom(file, bytes);
		} finally {
			closeSync(file);
		}
	}

	/**
	 * The events of the agent, of the agents above it those that are for all below, of its children that they began and ended, and
	 * those of the run for the root; in order.
	 */
	eventsOf(agent: AgentId): RunEvent[] {
		const [, ...above] = withAncestors(agent);
		const names = [agent, ...above.map(belowName), above.length === 0 ? OF_RUN : OF_ALL];
		const spans = names.flatMap((name) => this.spans.get(name) ?? []).sort((a, b) => a.from - b.from);
		const file = spans.length === 0 ? undefined : openRegular(this.path);
		if (file === undefined) return [];
		try {
			return spans.flatMap((span) => parseEvent(readSpan(file, span).toString("utf8")) ?? []);
		} finally {
			closeSync(file);
		}
	}

	private readFrom(file: number, bytes: number): boolean {
		for (let most = bytes; ; most *= 2) {
			const chunk = readSpan(file, { from: this.at, to: this.at + most });
			const end = chunk.lastIndexOf(LINE_FEED) + 1;
			this.take(chunk.subarray(0, end));
			this.at += end;
			if (chunk.length < most) return true;
			if (end > 0) return false;
			if (most > MAX_LINE_BYTES) return true; // a damaged log: what comes behind such a line is left out
		}
	}

	private take(lines: Buffer): void {
		for (let from = 0; from < lines.length; ) {
			const end = lines.indexOf(LINE_FEED, from);
			const line = lines.toString("utf8", from, Math.min(end, from + MOST_LOOKED_AT));
			const span = { from: this.at + from, to: this.at + end };
			const agent = OF_AGENT.exec(line)?.[1] ?? OF_RUN;
			this.put(agent, span);
			if (FOR_ALL_BELOW.test(line)) this.put(belowName(agent), span);
			const parent = FOR_PARENT.test(line) ? parentOf(agent) : undefined;
			if (parent !== undefined) this.put(parent, span);
			if (FOR_ALL.test(line)) this.put(OF_ALL, span);
			from = end + 1;
		}
	}

	private put(name: string, span: Span): void {
		const spans = this.spans.get(name);
		if (spans === undefined) this.spans.set(name, [span]);
		else spans.push(span);
	}
}

function belowName(agent: AgentId): string {
	return `${agent} and all below`;
}

function readSpan(file: number, { from, to }: Span): Buffer {
	const bytes = Buffer.allocUnsafe(to - from);
	return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}
