/** Services with a protocol that many speak, as a user's configuration file describes them. */

/** `chat`: POST /chat/completions; `responses`: POST /responses. */
export const PROTOCOLS = ["chat", "responses"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** In what such services differ. */
export interface HostFlags {
	/** The name of the bound of an answer. */
	readonly maxTokens: "max_tokens" | "max_completion_tokens";
	/** The role of the system prompt; `user`: it begins the first message. */
	readonly systemRole: "system" | "developer" | "user";
	/** Usage comes only when it is asked for by `stream_options`. */
	readonly streamUsage: boolean;
	/** The field in which thinking goes back with the calls that followed it; `none`: it does not go back. */
	readonly thinkingBack: "none" | "reasoning_content" | "reasoning" | "reasoning_details";
	/** Calls that another model has made get the placeholder that Gemini documents for its signature. */
	readonly callSignatures: boolean;
	/** The field that says how hard to think; `none`: there is none. */
	readonly effort: "none" | "reasoning_effort" | "reasoning";
	/** `tool_choice: none` is understood. */
	readonly toolChoice: boolean;
	/** What is said behind results is a message of its own; false: it goes into the last result, since roles have to alternate. */
	readonly textAfterResults: boolean;
	/** Ids of calls have nine letters and digits. */
	readonly shortCallIds: boolean;
	/** It drops the beginning of a prompt that is too long, and answers all the same, as Ollama does. */
	readonly cutsPrompts: boolean;
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
	/** Sent with each call. `$NAME` in a value stands for a variable, which no agent gets to see. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly protocol?: Protocol;
	readonly flags?: Partial<HostFlags>;
}

const REFERENCE = /\$(?:([a-z_]\w*)|\{([a-z_]\w*)\})/gi;

/** The variables that the headers of a service name. */
export function headerVariables({ headers = {} }: Pick<UserHost, "headers">): string[] {
	const found = Object.values(headers).flatMap((value) => [...value.matchAll(REFERENCE)]);
	return [...new Set(found.flatMap(([, bare, braced]) => bare ?? braced ?? []))];
}

/** The headers with the values of variables in place of their names. */
export function headersWith(
	{ headers = {} }: Pick<UserHost, "headers">,
	variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
	const filled = (value: string) =>
		value.replace(REFERENCE, (_, bare: string | undefined, braced: string) => variables[bare ?? braced] ?? "");
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]));
}
