import type { AgentTimeline } from "../../../../src/view/timeline/agent-timeline.ts";

export const EMPTY_TIMELINE: AgentTimeline = { queued: [], turns: [], commands: [], pauses: [], messages: [] };
