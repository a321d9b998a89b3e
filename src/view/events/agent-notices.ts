/**
 * What happened to an agent, or to the run, and stands in no message: broken calls, refusals, pauses, stops, shortages. Pauses
 * and stops are told by all agents below, too, that live then. Pure.
 */

import { type AgentId, isWithin, ROOT } from "../../core/model/agent.ts";
import type { Sender } from "../../core/model/told-message.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { newestOfPerson } from "../../core/run/waiting-messages.ts";
import { meaningOf, subjectOf } from "./event-meaning.ts";

const MOST_OF_AN_AGENT = 200; // a child may be refused again and again
const MOST_FOR_ALL_BELOW = 1_000;

export interface AgentNotice {
	readonly at: number;
	readonly text: string;
	/** Something was refused, or has failed. */
	readonly isTrouble: boolean;
	/** It is a message that the agent has got since: the transcript tells it. */
	readonly isDelivered?: true;
}

export interface AgentNotices {
	/** In order. */
	readonly list: readonly AgentNotice[];
	/** How many more there were. */
	readonly more: number;
}

export const NO_AGENT_NOTICES: AgentNotices = { list: [], more: 0 };

export class AgentNoticesBuilder {
	private readonly known = new Map<AgentId, { list: AgentNotice[]; more: number }>();
	private readonly forAllBelow: EventForAllBelow[] = [];
	private readonly lives = new Map<AgentId, Life[]>();
	/** The messages that wait for each agent. */
	private readonly waiting = new Map<AgentId, WaitingMessage[]>();

	note(event: RunEvent): void {
		this.noteLife(event);
		this.noteDelivery(event);
		const agent = showing(event);
		if (agent === undefined) return;
		const agentNotices = this.known.get(agent) ?? { list: [], more: 0 };
		this.known.set(agent, agentNotices);
		if (isForAllBelow(event) && this.forAllBelow.length < MOST_FOR_ALL_BELOW) this.forAllBelow.push(event);
		if (event.event === "message_sent")
			this.waitingFor(event.agent).push({ from: event.from, place: agentNotices.list.length });
		if (agentNotices.list.length >= MOST_OF_AN_AGENT) agentNotices.more++;
		else agentNotices.list.push(toldBy(event));
	}

	/** The oldest are delivered; a person takes back the newest that was theirs. */
	private noteDelivery(event: RunEvent): void {
		if (event.event === "run_forked") this.waiting.clear(); // they wait in the first run alone
		if (event.event === "message_delivered") {
			const { list } = this.known.get(event.agent) ?? { list: [] };
			for (const { place } of this.waitingFor(event.agent).splice(0, event.messages)) {
				const sent = list[place];
				if (sent !== undefined) list[place] = { ...sent, isDelivered: true };
			}
		}
		if (event.event !== "message_withdrawn") return;
		const waiting = this.waitingFor(event.agent);
		const newest = newestOfPerson(waiting);
		if (newest >= 0) waiting.splice(newest, 1);
	}

	private waitingFor(agent: AgentId): WaitingMessage[] {
		const waiting = this.waiting.get(agent) ?? [];
		this.waiting.set(agent, waiting);
		return waiting;
	}

	of(agent: AgentId): AgentNotices {
		const { list, more } = this.known.get(agent) ?? NO_AGENT_NOTICES;
		const lives = this.lives.get(agent); // undefined: when it joined is not known
		const ofAncestors = this.forAllBelow.filter((event) => {
			const isBelow = event.agent !== agent && isWithin(agent, event.agent);
			const isIn = ({ from, to }: Life) => from <= event.at && event.at <= to;
			return isBelow && (lives === undefined || lives.some(isIn));
		});
		return { list: [...list, ...ofAncestors.map(toldBelow)].sort((a, b) => a.at - b.at), more };
	}

	private noteLife(event: RunEvent): void {
		if (event.event === "agent_joined" || event.event === "agent_resumed") {
			const lives = this.lives.get(event.agent) ?? [];
			this.lives.set(event.agent, lives);
			lives.push({ from: event.at, to: Number.POSITIVE_INFINITY });
		}
		const life = event.event === "agent_ended" ? this.lives.get(event.agent)?.at(-1) : undefined;
		if (life !== undefined) life.to = event.at;
	}
}

interface WaitingMessage {
	readonly from: Sender;
	/** In the list of what has happened to the agent; beyond its end for one that is not told. */
	readonly place: number;
}

interface Life {
	readonly from: number;
	to: number;
}

/** What the event says in the history of the agent; undefined when that does not tell it, or by messages, turns and commands. */
export function agentNoticeOf(event: RunEvent, agent: AgentId): AgentNotice | undefined {
	const shownBy = showing(event);
	if (shownBy === agent) return toldBy(event);
	return isForAllBelow(event) && isWithin(agent, event.agent) ? toldBelow(event) : undefined;
}

function toldBy(event: RunEvent): AgentNotice {
	const { text, tone } = meaningOf(event);
	const whose = "agent" in event || "parent" in event ? "" : "run: ";
	return { at: event.at, text: `${whose}${text}`, isTrouble: tone !== undefined && TROUBLE.has(event.event) };
}

const TROUBLE: ReadonlySet<RunEvent["event"]> = new Set([
	...(["child_refused", "client_refused", "host_refused", "turn_refused"] as const),
	...(["turn_failed", "place_replaced"] as const),
]);

function toldBelow(event: EventForAllBelow): AgentNotice {
	return { at: event.at, text: `agent ${event.agent} ${meaningOf(event).text}`, isTrouble: false };
}

type EventForAllBelow = Extract<RunEvent, { event: "agent_paused" | "agent_continued" | "agent_stopping" }>;

/** What happens to the agent happens to all below it. */
export function isForAllBelow(event: RunEvent): event is EventForAllBelow {
	return meaningOf(event).isForAllBelow === true;
}

/** The agent whose history shows the event; that of the root shows those of the whole run, too. */
function showing(event: RunEvent): AgentId | undefined {
	return meaningOf(event).isInHistory ? (subjectOf(event) ?? ROOT) : undefined;
}
