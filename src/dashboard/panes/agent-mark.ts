/** The state of an agent as one character and a tone, and how full its context is as a tone. */
import type { AgentState } from "../../core/agent.ts";
import type { Tone } from "../scene/line.ts";

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
