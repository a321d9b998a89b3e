/** What an agent does as one character and a tone, and how full its context is as a tone. */
import type { AgentState } from "../../core/agent.ts";
import type { Tone } from "../scene/line.ts";
import type { Doing } from "../scene/state-counts.ts";

export interface Mark {
	readonly glyph: string;
	readonly tone: Tone;
}

export const MARKS: Readonly<Record<Doing, Mark>> = {
	running: { glyph: "●", tone: "busy" },
	thinking: { glyph: "◆", tone: "calm" },
	retrying: { glyph: "↻", tone: "warn" },
	queued: { glyph: "○", tone: "dim" },
	waiting: { glyph: "◌", tone: "plain" },
	paused: { glyph: "‖", tone: "warn" },
	answered: { glyph: "✓", tone: "good" },
	stopped: { glyph: "■", tone: "dim" },
	failed: { glyph: "✗", tone: "bad" },
};

const FULL_CONTEXT_SHARE = 0.8;

/** A context that is nearly full stands out from text of the tone `usual`. */
export function contextTone(share: number, usual: Tone): Tone {
	return share < FULL_CONTEXT_SHARE ? usual : "warn";
}

export function glyphOf(state: AgentState): string {
	switch (state.is) {
		case "queued":
			return "○";
		case "thinking":
			return "◆";
		case "running":
			return "●";
		case "waiting":
			return "◌";
		case "ended":
			return state.ending.by === "answer" ? "✓" : "✗";
	}
}

export function toneOf(state: AgentState): Tone {
	switch (state.is) {
		case "queued":
			return "dim";
		case "thinking":
			return "calm";
		case "running":
			return "busy";
		case "waiting":
			return "plain";
		case "ended":
			return state.ending.by === "answer" ? "good" : state.ending.by === "limit" ? "warn" : "bad";
	}
}
