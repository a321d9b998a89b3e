/** The one tool: its description for the model, and the parser of the input that the model writes. */
import type { Tool } from "../../core/message.ts";

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;

export const BASH_TOOL: Tool = {
	name: "bash",
	description: `Runs a command in bash and gives what it printed: stdout and stderr together, in their order.

- Each call is a new shell in the same working directory. No state is kept between calls: no variables, no "cd"; files are.
- stdin is empty and there is no terminal, so nothing can ask questions: use options that answer in advance.
- Output over 50,000 characters is cut in the middle; the marker there names the file that holds the whole.
- A command has ${DEFAULT_TIMEOUT_MS / 1000} seconds, or what "timeout" asks for, up to ${MAX_TIMEOUT_MS / 1000}. After that all its processes are ended; what it printed is kept. The clock stands still while agents that the command started are alive.
- Processes left in the background live on until you are done; they are named in the result.
- agent "task" starts a child agent: it works on the task in a context of its own, with this same tool, and its stdout is its answer. It knows nothing but the task text, so put all it needs in there. Start several side by side and wait for them: agent "task a" > a.txt & agent "task b" > b.txt & wait
- Several bash calls in one answer run at the same time; their results come in the order of the calls.`,
	input_schema: {
		type: "object",
		properties: {
			command: { type: "string", description: "The command, as for bash -c. May have many lines." },
			timeout: {
				type: "number",
				description: `Seconds until the command is ended. Default ${DEFAULT_TIMEOUT_MS / 1000}, at most ${MAX_TIMEOUT_MS / 1000}.`,
			},
		},
		required: ["command"],
	},
};

export type BashInput =
	| { readonly is: "command"; readonly command: string; readonly timeoutMs: number }
	/** `reason` is told to the model. */
	| { readonly is: "invalid"; readonly reason: string };

/** Never throws, whatever the model wrote. */
export function parseBashInput(input: unknown): BashInput {
	if (isUnreadable(input)) return invalid("the input of this call was no whole JSON object; write the call anew");
	if (typeof input !== "object" || input === null || Array.isArray(input))
		return invalid(`the input must be an object with "command", not ${kindOf(input)}`);
	const { command, timeout } = input as Record<string, unknown>;
	if (typeof command !== "string") return invalid(`"command" must be a string, not ${kindOf(command)}`);
	if (command.trim() === "") return invalid('"command" is empty');
	if (command.includes("\0"))
		return invalid('"command" holds a NUL byte, which no command may: use printf "\\0" instead');
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
