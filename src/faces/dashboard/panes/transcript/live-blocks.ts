/** What an agent does now, as blocks: how its commands go, what it waits for, and at last how it ended. */
import { doingOf } from "../../../../core/doing.ts";
import { type Agent, isOver } from "../../../../core/model/agent.ts";
import { senderName } from "../../../../core/model/told-message.ts";
import { formatDuration } from "../../../../text/durations.ts";
import { formatCost } from "../../../../text/money.ts";
import { oneLine } from "../../../../text/safe/terminal-safe.ts";
import { wholeEnding } from "../../../../text/states.ts";
import { type Activity, seenOf } from "../../../../view/agents/activity.ts";
import { ageOf, doingLine } from "../../../../view/agents/doing-now.ts";
import { shortTime } from "../../../../view/clock-time.ts";
import { describeActivity } from "../../../../view/words/activity.ts";
import { MARKS } from "../agent-mark.ts";
import { type Block, lineBlock } from "./block.ts";

/** A command that has printed a moment ago is not silent. */
const TOLD_SILENCE_MS = 5_000;

interface Moment {
	readonly now: number;
	readonly activity: Activity;
}

/** How a running command goes: `running 1m52s, silent for 1m50s, 0.0 s of CPU`, and a line for each of its processes. */
export function goingText(agent: Agent, command: number, { now, activity }: Moment): string | undefined {
	const running = agent.running.find((one) => one.command === command);
	if (running === undefined) return undefined;
	const { silentSince, cpuMs, processes = [], isCut } = seenOf(activity, agent.id, command) ?? {};
	const isQuiet = silentSince !== undefined && now - silentSince >= TOLD_SILENCE_MS;
	const told = describeActivity({ silentSince: isQuiet ? silentSince : undefined, cpuMs }, now);
	const facts = [
		`running ${formatDuration(Math.max(1_000, now - running.since))}`,
		...(told === "" ? [] : [told]),
		...(isCut ? ["what it prints is no longer kept"] : []),
	];
	const others = processes.filter(({ pid }) => pid !== running.pid);
	return [facts.join(", "), ...others.map(({ pid, name }) => `  pid ${pid} ${oneLine(name)}`)].join("\n");
}

/** The last lines of a history: what its agent waits for, and what waits for it; or how it ended. */
export function standingBlocks(agent: Agent, hasWords: boolean, moment: Moment): Block[] {
	const { now } = moment;
	if (isOver(agent)) return [endingBlock(agent, now)];
	const messages = (agent.messages ?? []).map(({ from, text, at }, index) =>
		lineBlock(`waiting:${at}.${index}`, `${senderName(from)}, for its next call: ${text}`, "warn", { mark: "» " }),
	);
	const doing = doingBlock(agent, hasWords, moment);
	return doing === undefined ? messages : [...messages, doing];
}

/** Undefined where the last block tells it already: a command that runs, an answer that streams. */
function doingBlock(agent: Agent, hasWords: boolean, moment: Moment): Block | undefined {
	const { state } = agent;
	const isHeld = state.is === "thinking" && moment.activity.heldSince.has(agent.id);
	const isRetried = state.is === "thinking" && (state.retry?.nextAt ?? 0) > moment.now;
	const isWaiting = agent.paused !== undefined || state.is === "queued" || isHeld || isRetried;
	if (!isWaiting && (state.is !== "thinking" || hasWords)) return undefined;
	const doing = isWaiting ? doingOf(agent) : "thinking";
	const { glyph, tone } = MARKS[isHeld && doing === "thinking" ? "queued" : doing];
	return lineBlock("doing", doingLine(agent, moment), tone, { mark: `${glyph} ` });
}

/** `✓ answer · 1m08s · $0.0200   06:18:29`, or the cause whole. */
function endingBlock(agent: Agent & { state: { is: "ended" } }, now: number): Block {
	const { at, ending } = agent.state;
	const right = shortTime(at);
	const facts = `${formatDuration(ageOf(agent, now))}, ${formatCost(agent.costUsd)}`.replace(", -", "");
	const isGood = ending.by === "answer";
	const text = `${wholeEnding(ending)} (${facts})`;
	return lineBlock("ending", text, isGood ? "good" : "bad", { mark: isGood ? "✓ " : "✗ ", right });
}
