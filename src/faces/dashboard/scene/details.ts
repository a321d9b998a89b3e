/** What the files of one agent tell beside its events. */
import type { AgentId } from "../../../core/model/agent.ts";
import type { AgentFile } from "../../../core/model/transcript.ts";

/** The name of the pane that shows them. */
export const DETAILS = "details";

export interface Details {
	readonly agent: AgentId;
	/** The directory of its files. */
	readonly directory: string;
	/** agent.json; undefined when it is missing or damaged. */
	readonly file: AgentFile | undefined;
}
