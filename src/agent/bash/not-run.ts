import type { ToolResultBlock, ToolUseBlock } from "../../core/model/message.ts";
import type { CommandRecord } from "../../core/model/transcript.ts";

/** Makes the result of a call that was not run. `reason` is told to the model. */
export function notRun(call: ToolUseBlock, reason: string): { block: ToolResultBlock; record: CommandRecord } {
	const [firstLine = ""] = reason.split("\n");
	return {
		block: { type: "tool_result", tool_use_id: call.id, content: `Not run: ${reason}`, is_error: true },
		record: { command: 0, toolUseId: call.id, end: { by: "not_started", reason: firstLine }, outputBytes: 0 },
	};
}
