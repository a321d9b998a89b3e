/** Slash commands that change what the agent works with: its model, its effort, its limits. */

import { EFFORTS } from "../../../core/effort.ts";
import { AgentreeError } from "../../../core/errors.ts";
import { DEFAULT_LIMITS, limitOfFlag } from "../../../core/limits/limits.ts";
import { ROOT } from "../../../core/model/agent.ts";
import { readLimits } from "../../../project/config/read-limits.ts";
import { describeLimits } from "../../../text/limits.ts";
import { nearestName } from "../../../text/nearest-name.ts";
import { type ChatState, type Next, next, rootOf, tell } from "../chat-state.ts";
import { decline, request } from "../requests.ts";
import type { SlashCommand } from "./slash-command.ts";

/** Before the first message they choose what the run begins with. */
export const CHANGE_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "model", argument: "[name]", completes: "models" },
		help: "show or change the model, from the next call on",
		act: setModel,
	},
	{
		...{ word: "effort", synonyms: ["think"], argument: "[level]", completes: "efforts" },
		help: `show or change the effort, from the next call on: ${EFFORTS.join(", ")}`,
		act: setEffort,
	},
	{
		...{ word: "limits", synonyms: ["limit", "budget"], argument: "[name value]", completes: "limits" },
		help: "show or change limits: /limits max-budget-usd 5; off removes a limit that has no default",
		act: setLimit,
	},
];

function setModel(state: ChatState, given: string): Next {
	const { choice, facts, run } = state;
	if (given === "") {
		const model = rootOf(state)?.model ?? choice.model ?? facts.model;
		return next(state, tell(model), tell(`others: ${facts.models.join(", ")}`, "dim"));
	}
	if (run !== undefined)
		return request(state, { say: "change", agent: ROOT, model: given, startedIn: facts.directory });
	return next({ ...state, choice: { ...choice, model: given } }, tell(`the chat will start with ${given}`, "dim"));
}

function setEffort(state: ChatState, given: string): Next {
	const { choice, run } = state;
	const level = EFFORTS.find((known) => known === given);
	if (given === "") return next(state, tell(rootOf(state)?.effort ?? choice.effort ?? "model default"));
	if (level === undefined) {
		const nearest = nearestName(given, EFFORTS);
		const meant = nearest === undefined ? EFFORTS.join(", ") : `did you mean ${nearest}?`;
		return decline(state, `unknown effort ${given}: ${meant}`);
	}
	const chosen: ChatState = { ...state, choice: { ...choice, effort: level } };
	if (run !== undefined) return request(chosen, { say: "change", agent: ROOT, effort: level });
	return next(chosen, tell(`the chat will start with effort ${level}`, "dim"));
}

function setLimit(state: ChatState, given: string): Next {
	const { choice, run } = state;
	const inForce = rootOf(state)?.limits ?? { ...DEFAULT_LIMITS, ...choice.limits };
	if (given === "") return next(state, tell(describeLimits(inForce)));
	const [name = "", value = "", ...more] = given.replace(/^--/, "").split(/[\s=]+/);
	const limit = limitOfFlag(name) ?? limitOfFlag(`max-${name}`);
	if (limit === undefined || more.length > 0) return decline(state, "set a limit like this: /limits max-turns 100");
	const read = readLimit(limit.flag, value);
	if (read.is === "wrong") return decline(state, read.reason);
	if (run !== undefined) return request(state, { say: "change", agent: ROOT, limits: { [limit.key]: read.value } });
	const { [limit.key]: _, ...others } = choice.limits ?? {};
	const limits = read.value === null ? others : { ...others, [limit.key]: read.value };
	return next({ ...state, choice: { ...choice, limits } }, tell(`the chat will start with ${name} ${value}`, "dim"));
}

type Read = { readonly is: "value"; readonly value: number | null } | { readonly is: "wrong"; readonly reason: string };

/** Null for `off`. */
function readLimit(flag: string, value: string): Read {
	if (value === "off" || value === "none") return { is: "value", value: null };
	try {
		const [read] = Object.values(readLimits((asked) => (asked === flag ? value : undefined), {})) as number[];
		return read === undefined ? { is: "wrong", reason: `${flag} needs a value` } : { is: "value", value: read };
	} catch (error) {
		if (error instanceof AgentreeError) return { is: "wrong", reason: error.message.replace(/^--/, "") };
		throw error;
	}
}
