/** Slash commands about what the conversation runs with, and what of it is shown. */
import { ROOT } from "../../core/agent.ts";
import { type ChatState, rootOf } from "../chat-state.ts";
import { type Told, tell } from "../effect.ts";
import { next } from "../next.ts";
import { refuse } from "../say.ts";
import type { SlashCommand } from "./slash-command.ts";

export const SETTING_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "permissions", synonyms: ["sandbox", "allowed"] },
		help: "what agents may do here",
		act: (state) => next(state, { do: "tell", told: permissions(state) }),
	},
	{
		...{ word: "thinking", synonyms: ["verbose"], argument: "[on|off]" },
		help: "shows all of what the model thinks, or only its first line",
		act: (state, given) => {
			const isShown = given === "" ? !state.showsThinking : given === "on";
			const told = isShown ? "thinking is shown whole" : "of thinking the first line is shown";
			return next({ ...state, showsThinking: isShown }, { do: "show_thinking", isShown }, tell(told, "dim"));
		},
	},
	{
		...{ word: "expand", argument: "[number]", needsRun: true },
		help: "all that a command printed: the newest, or that number",
		act: (state, given, text) => {
			const command = given === "" ? (rootOf(state)?.commands ?? 0) : Number(given);
			if (!Number.isSafeInteger(command) || command < 1) return refuse(state, text, "there is no such command");
			return next(state, { do: "expand", command });
		},
	},
];

/** No sandbox so far: it would be untrue to say less. */
function permissions(state: ChatState): Told[] {
	const { directory } = state.facts;
	const keys = "model keys are kept from them";
	const limits = rootOf(state)?.limits;
	const depth =
		limits === undefined ? [] : [`agents below ${ROOT}: ${limits.maxAgents} in all, ${limits.maxDepth} levels`];
	return [
		`commands run as you, in ${directory}, with no sandbox: they may do what you may; ${keys}`,
		...depth,
		"nothing is asked before a command runs: Esc ends one",
	].map((text) => ({ text, tone: "plain" }));
}
