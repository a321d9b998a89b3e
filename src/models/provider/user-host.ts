/** Services with a protocol that many speak, as a user's configuration file describes them. */

/** `chat`: POST /chat/completions; `responses`: POST /responses. */
export const PROTOCOLS = ["chat", "responses"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** In what such services differ. */
export interface HostFlags {
	/** The name of the bound of an answer. */
	readonly maxTokens: "max_tokens" | "max_completion_tokens";
	/** The role of the system prompt. */
	readonly systemRole: "system" | "developer";
	/** Usage comes only when it is asked for by `stream_options`. */
	readonly streamUsage: boolean;
	/** The field in which thinking goes back with the calls that followed it; `none`: it does not go back. */
	readonly thinkingBack: "none" | "reasoning_content" | "reasoning" | "reasoning_details";
	/** The field that says how hard to think; `none`: there is none. */
	readonly effort: "none" | "reasoning_effort" | "reasoning";
	/** `tool_choice: none` is understood. */
	readonly toolChoice: boolean;
	/** Of `responses`: thinking is given in encrypted form, to be sent back. */
	readonly encryptedThinking: boolean;
	/** Of `responses`: summaries of thinking are given. */
	readonly thinkingSummary: boolean;
}

export interface UserHost {
	/** What stands before the slash in names of its models. */
	readonly name: string;
	/** Absent: that of the known service with this name. */
	readonly baseUrl?: string;
	/** The variables that may hold a key, in the order in which they are used. Absent: those of the known service. */
	readonly keyVariables?: readonly string[];
	/** A command of bash that prints a key. */
	readonly keyCommand?: string;
	readonly protocol?: Protocol;
	readonly flags?: Partial<HostFlags>;
}
