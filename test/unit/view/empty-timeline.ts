import type { AgentTimeline } from "../../../src/view/timeline.ts";

export const EMPTY_TIMELINE: AgentTimeline = { queued: [], turns: [], commands: [], pauses: [], messages: [] };
