import type { AgentId } from "../../../core/model/agent.ts";
import { EMPTY_RUN } from "../../../core/run/run-state.ts";
import { NO_ACTIVITY } from "../../../view/agents/activity.ts";
import { emptyHistory } from "./agent-history.ts";
import type { Picture } from "./scene.ts";
import { FIRST_UI, select } from "./ui-state.ts";

/** Before anything is known of the run. */
export function firstPicture(selected: AgentId, now: number): Picture {
	return {
		run: EMPTY_RUN,
		ui: select(FIRST_UI, selected),
		history: emptyHistory(selected),
		events: [],
		activity: NO_ACTIVITY,
		isLost: false,
		size: { columns: 80, rows: 24 },
		now,
	};
}
