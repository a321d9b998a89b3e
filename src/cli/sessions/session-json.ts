/** Sessions as programs read them. The keys are part of the interface (docs/files.md): never renamed. Pure. */
import type { Session } from "./session.ts";

/** A value that is not known is null, never absent. Times are milliseconds since the epoch. */
export function sessionAsJson({ run, file, state, usedAt, totals }: Session): object {
	return {
		run,
		state,
		name: file.name ?? null,
		task: file.task,
		cwd: file.cwd,
		model: file.model,
		is_conversation: file.isConversation === true,
		forked_from: file.forkedFrom ?? null,
		started_at: file.startedAt,
		used_at: usedAt,
		agent_count: totals.agents ?? null,
		turns: totals.turns ?? null,
		cost_usd: totals.costUsd ?? null,
	};
}
