/** Slash commands about what the conversation runs with, and what of it is shown. */
import { ROOT } from "../../../core/model/agent.ts";
import { preview } from "../../../core/preview.ts";
import { nearestName } from "../../../text/nearest-name.ts";
import { padWidth } from "../../../text/width/width.ts";
import { type ChatState, rootOf } from "../chat-state.ts";
import { type Told, tell } from "../effect.ts";
import { type Next, next } from "../next.ts";
import { decline } from "../say.ts";
import type { SlashCommand } from "./slash-command.ts";

const MAX_DESCRIPTION = 100; // characters

export const SETTING_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "permissions", synonyms: ["sandbox", "allowed"] },
		help: "what agents may do here",
		act: (state) => next(state, { do: "tell", told: permissions(state) }),
	},
	{
		...{ word: "role", argument: "[name]", completes: "roles" },
		help: "who the agent is, before the conversation begins; without a name the roles that there are",
		act: setRole,
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
		act: (state, given) => {
			const command = given === "" ? (rootOf(state)?.commands ?? 0) : Number(given);
			if (!Number.isSafeInteger(command) || command < 1) return decline(state, "there is no such command");
			return next(state, { do: "expand", command });
		},
	},
];

function setRole(state: ChatState, given: string): Next {
	const { roles } = state.facts;
	const role = roles.find(({ name }) => name === given);
	const now = state.run === undefined ? state.choice.role : rootOf(state)?.role;
	if (given === "") return next(state, { do: "tell", told: roleLines(roles, now) });
	if (role === undefined) {
		const names = roles.map(({ name }) => name);
		const nearest = nearestName(given, names);
		const meant = nearest === undefined ? "" : `; did you mean ${nearest}?`;
		return decline(state, `there is no role ${given}${meant}; /role lists all`);
	}
	if (state.link.is !== "none")
		return decline(state, "an agent keeps the role with which it began: /new begins another one");
	return next({ ...state, choice: { ...state.choice, role: given } }, tell(`the agent will be: ${given}`, "dim"));
}

function roleLines(roles: ChatState["facts"]["roles"], now: string | undefined): Told[] {
	const width = Math.max(...roles.map(({ name }) => name.length));
	const lines = roles.map(({ name, description }): Told => {
		const mark = name === now ? "* " : "  ";
		return { text: `${mark}${padWidth(name, width)}  ${preview(description, MAX_DESCRIPTION)}`, tone: "plain" };
	});
	return [...lines, { text: now === undefined ? "the agent has no role" : `the agent is: ${now}`, tone: "dim" }];
}

function permissions(state: ChatState): Told[] {
	const { limits } = rootOf(state) ?? {};
	const depth =
		limits === undefined ? [] : [`agents below ${ROOT}: ${limits.maxAgents} in all, ${limits.maxDepth} levels`];
	return [
		`${whereCommandsRun(state)}; model keys are kept from them`,
		...depth,
		state.run?.skipsPermissions
			? "nothing is asked before a command runs, and only a rule that denies refuses one; Esc ends what runs"
			: "what others would see (git push, publishing) and what rules of yours say is asked about; all else runs, unless --ask says otherwise; Esc ends what runs",
	].map((text) => ({ text, tone: "plain" }));
}

/** The places of a sandbox are looked for when the run begins. */
function whereCommandsRun(state: ChatState): string {
	const { directory, sandboxMode } = state.facts;
	const root = rootOf(state);
	const restOf = "all else they can read, but for secrets";
	if (root === undefined && sandboxMode !== undefined) {
		const written = sandboxMode === "read-only" ? "nothing but /tmp" : "this project and /tmp";
		return `commands will run in a sandbox (${sandboxMode}: writes to ${written}); ${restOf}`;
	}
	if (root?.sandbox !== undefined) return `commands run in a sandbox (${root.sandbox}); ${restOf}`;
	return `commands run as you, in ${directory}, with no sandbox: they may do what you may`;
}
