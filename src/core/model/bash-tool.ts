/** The one tool, as far as both ends know it: the supervisor describes it to the model, the agent runs its calls. */
export const BASH = "bash";
export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;
/** Of a result: of more, the middle is left out. */
export const MAX_RESULT_CHARS = 20_000;

/** The input of a call, as the model writes it. */
type BashInput =
	| { readonly is: "command"; readonly command: string; readonly timeoutMs: number }
	/** `reason` is told to the model. */
	| { readonly is: "invalid"; readonly reason: string };

/** Never throws, whatever the model wrote. */
export function parseBashInput(input: unknown): BashInput {
	if (isUnreadable(input))
		return invalid("the input of this call was not a complete JSON object; write the call again");
	if (typeof input !== "object" || input === null || Array.isArray(input))
		return invalid(`the input must be an object with "command", not ${kindOf(input)}`);
	const { command, timeout } = input as Record<string, unknown>;
	if (typeof command !== "string") return invalid(`"command" must be a string, not ${kindOf(command)}`);
	if (command.trim() === "") return invalid('"command" is empty');
	if (command.includes("\0"))
		return invalid('"command" contains a NUL byte, which is not allowed: use printf "\\0" instead');
	const timeoutMs = parseTimeout(timeout);
	if (timeoutMs === undefined)
		return invalid(
			`"timeout" must be a number of seconds above 0, not ${kindOf(timeout)} ${preview(timeout)}`.trimEnd(),
		);
	return { is: "command", command, timeoutMs };
}

/** True for the input that src/models gives a call whose JSON was broken or cut; a test holds the two together. */
export function isUnreadable(input: unknown): boolean {
	return typeof input === "object" && input !== null && "unreadable_json" in input && !("command" in input);
}

/** Milliseconds from seconds: a number, or digits in a string, as models write now and then. */
function parseTimeout(timeout: unknown): number | undefined {
	if (timeout === undefined || timeout === null) return DEFAULT_TIMEOUT_MS;
	const isDigits = typeof timeout === "string" && /^\s*\d+(\.\d+)?\s*$/.test(timeout);
	const seconds = typeof timeout === "number" ? timeout : isDigits ? Number(timeout) : Number.NaN;
	return seconds > 0 ? Math.max(1, Math.min(Math.round(seconds * 1000), MAX_TIMEOUT_MS)) : undefined;
}

function invalid(reason: string): BashInput {
	return { is: "invalid", reason };
}

function kindOf(value: unknown): string {
	if (value === undefined) return "missing";
	if (value === null) return "null";
	if (Array.isArray(value)) return "a list";
	return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function preview(value: unknown): string {
	if (typeof value === "number") return String(value);
	return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : "";
}
