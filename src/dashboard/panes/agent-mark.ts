/** The state of an agent as one character and a tone. */
import type { AgentState } from "../../core/agent.ts";
import type { Tone } from "../scene/line.ts";

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
