/**
 * Facts as people read them: durations, tokens, money, states, and text of agents made safe for a terminal.
 * Whatever an agent wrote goes through `stripControl` before it is printed.
 */
import type { Agent, AgentState, Ending } from "../core/agent.ts";

/** `850ms`, `12s`, `3m05s`, `1h02m`. Rounded down. */
export function formatDuration(ms: number): string {
	if (ms < 1000) return `${Math.max(0, Math.floor(ms))}ms`;
	const seconds = Math.floor(ms / 1000);
	if (seconds < 60) return `${seconds}s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes}m${twoDigits(seconds % 60)}s`;
	return `${Math.floor(minutes / 60)}h${twoDigits(minutes % 60)}m`;
}

/** `950`, `12.3k`, `1.2M`. */
export function formatTokens(tokens: number): string {
	if (tokens < 1000) return String(tokens);
	if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`;
	return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** `$0.0123`, `$12.35`; `-` for nothing; `?` when a price is not known. */
export function formatCost(usd: number | null): string {
	if (usd === null) return "?";
	if (usd === 0) return "-";
	if (usd < 0.0001) return "<$0.0001";
	return usd < 1 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** `$0.42`, `$12`, `$0.005`: a bound as it was given, and what is held against it. */
export function formatDollars(usd: number): string {
	if (Number.isInteger(usd)) return `$${usd}`;
	return usd !== 0 && Math.abs(usd) < 0.1 ? `$${Number(usd.toFixed(4))}` : `$${usd.toFixed(2)}`;
}

/** `1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`. */
export function ordinal(n: number): string {
	const isTeen = n % 100 >= 11 && n % 100 <= 13;
	return `${n}${(isTeen ? undefined : ["th", "st", "nd", "rd"][n % 10]) ?? "th"}`;
}

/** One line: `answer`, `limit: turn limit reached (max-turns 50)`, `killed by SIGKILL`. */
export function describeEnding(ending: Ending): string {
	switch (ending.by) {
		case "answer":
			return "answer";
		case "failure":
		case "limit":
		case "stopped":
		case "crashed":
			return `${ending.by}: ${oneLine(ending.reason)}`;
		case "killed":
			return `killed by ${ending.signal}`;
	}
}

/**
 * One line: `queued 3s`, `thinking 12s, turn 2`, `retrying 3rd time in 12 s: overloaded`, `running 1m05s, 2 commands`,
 * `ended: answer`.
 */
export function describeState(agent: Agent, now: number): string {
	const { state } = agent;
	switch (state.is) {
		case "queued":
			return `queued ${formatDuration(now - state.since)}${state.reason === undefined ? "" : `: ${state.reason}`}`;
		case "thinking":
			return describeThinking(state, now);
		case "running":
		case "waiting": {
			const several = agent.running.length > 1 ? `, ${agent.running.length} commands` : "";
			return `${state.is} ${formatDuration(now - state.since)}${several}`;
		}
		case "ended":
			return `ended: ${describeEnding(state.ending)}`;
	}
}

type Thinking = Extract<AgentState, { is: "thinking" }>;

function describeThinking(state: Thinking, now: number): string {
	const wait = retryWait(state, now);
	if (wait !== undefined) return wait;
	const tries = state.retry === undefined ? "" : ` (${ordinal(state.retry.attempt)} retry)`;
	const what = state.purpose === "compaction" ? "summarising older rounds" : "thinking";
	return `${what}${tries} ${formatDuration(now - state.since)}, turn ${state.turn}`;
}

/** `retrying 3rd time in 12 s: overloaded`, until the try is made. */
export function retryWait(state: AgentState, now: number): string | undefined {
	if (state.is !== "thinking" || state.retry === undefined || state.retry.nextAt <= now) return undefined;
	const { attempt, nextAt, reason } = state.retry;
	return `retrying ${ordinal(attempt)} time in ${formatWait(nextAt - now)}: ${oneLine(reason)}`;
}

/** `12 s`, `2m05s`: rounded up, since it counts down. */
export function formatWait(ms: number): string {
	const seconds = Math.ceil(ms / 1000);
	return seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000);
}

/** How long the agent has lived, or lived. */
export function ageOf(agent: Agent, now: number): number {
	return (agent.state.is === "ended" ? agent.state.at : now) - agent.joinedAt;
}

/**
 * Nothing that a terminal obeys is left: escape sequences (whole, cut off or unterminated), C0 but for \n and \t, C1,
 * and the marks that reverse the direction of text. A lone \r becomes \n, so that nothing can be hidden by overwriting.
 */
export function stripControl(text: string): string {
	return text.replace(CONTROL, (match) => (match.startsWith("\r") ? "\n" : ""));
}

const CONTROL = new RegExp(
	[
		"\\r\\n?",
		// OSC, DCS, SOS, PM, APC: up to their end, or to the end of the line when they have none.
		"(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\r\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)?",
		"(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?",
		"\\u001b[ -/]*[0-~]?",
		"[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]",
	].join("|"),
	"g",
);

/** Control sequences stripped, every run of white space one space. */
export function oneLine(text: string): string {
	return stripControl(text).replace(/\s+/g, " ").trim();
}

/** The first line that is not blank, as one line. */
export function firstLine(text: string): string {
	return oneLine(/\S[^\n\r]*/.exec(stripControl(text))?.[0] ?? "");
}

/** Columns that one line takes, code point by code point as `wcwidth` counts: wide 2, combining 0. */
export function displayWidth(text: string): number {
	if (PLAIN.test(text)) return text.length;
	let width = 0;
	for (const character of text) width += widthOf(character);
	return width;
}

/** Cut to at most `columns`, the last of them `…` when something was cut. */
export function fitWidth(text: string, columns: number): string {
	if (displayWidth(text) <= columns) return text;
	if (columns <= 0) return "";
	let kept = "";
	let width = 0;
	for (const character of text) {
		width += widthOf(character);
		if (width > columns - 1) break;
		kept += character;
	}
	return `${kept.replace(/\u200d+$/, "")}…`;
}

/** Exactly `columns` wide: cut, or filled with spaces behind (before, when `toRight`). */
export function padWidth(text: string, columns: number, toRight = false): string {
	const fitted = fitWidth(text, columns);
	const spaces = " ".repeat(Math.max(0, columns - displayWidth(fitted)));
	return toRight ? spaces + fitted : fitted + spaces;
}

const PLAIN = /^[ -~]*$/;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
// East Asian Width W and F, by block (Unicode 15).
const WIDE: readonly (readonly [number, number])[] = [
	[0x1100, 0x115f],
	[0x2e80, 0x303e],
	[0x3041, 0x33ff],
	[0x3400, 0x4dbf],
	[0x4e00, 0xa4cf],
	[0xa960, 0xa97f],
	[0xac00, 0xd7a3],
	[0xf900, 0xfaff],
	[0xfe30, 0xfe6f],
	[0xff01, 0xff60],
	[0xffe0, 0xffe6],
	[0x17000, 0x18cff],
	[0x1b000, 0x1b2ff],
	[0x1f200, 0x1f2ff],
	[0x1f300, 0x1f64f],
	[0x1f680, 0x1f6ff],
	[0x1f900, 0x1f9ff],
	[0x20000, 0x3fffd],
];

function widthOf(character: string): number {
	const code = character.codePointAt(0) ?? 0;
	if (code < 0x300) return 1;
	if (ZERO_WIDTH.test(character)) return 0;
	if (EMOJI.test(character)) return 2;
	return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

function twoDigits(n: number): string {
	return String(n).padStart(2, "0");
}
