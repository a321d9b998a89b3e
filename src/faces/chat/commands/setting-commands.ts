/** Slash commands about what the conversation runs with, and what of it is shown. */
import { preview } from "../../../core/preview.ts";
import { nearestName } from "../../../text/nearest-name.ts";
import { padWidth } from "../../../text/width/width.ts";
import { type ChatState, type Next, next, rootOf, type Told, tell } from "../chat-state.ts";
import { decline } from "../requests.ts";
import type { SlashCommand } from "./slash-command.ts";

const MAX_DESCRIPTION = 100; // characters

export const SETTING_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "permissions", synonyms: ["sandbox", "allowed"] },
		help: "show what agents are allowed to do here",
		act: (state) => next(state, { do: "tell", told: permissions(state) }),
	},
	{
		...{ word: "role", argument: "[name]", completes: "roles" },
		help: "choose the agent's role before the chat starts; without a name: list roles",
		act: setRole,
	},
	{
		...{ word: "thinking", synonyms: ["verbose"], argument: "[on|off]" },
		help: "show the model's thinking in full or only its first line",
		act: (state, given) => {
			const isShown = given === "" ? !state.showsThinking : given === "on";
			const told = isShown ? "thinking is shown in full" : "only the first line of thinking is shown";
			return next({ ...state, showsThinking: isShown }, { do: "show_thinking", isShown }, tell(told, "dim"));
		},
	},
	{
		...{ word: "expand", argument: "[number]", needsRun: true },
		help: "show a command's whole output: the last one, or by number",
		act: (state, given) => {
			const command = given === "" ? (rootOf(state)?.commands ?? 0) : Number(given);
			if (!Number.isSafeInteger(command) || command < 1) return decline(state, "no such command");
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
		return decline(state, `unknown role ${given}${meant}; see /role`);
	}
	if (state.link.is !== "none") return decline(state, "an agent keeps its role; start a new chat with /new");
	return next({ ...state, choice: { ...state.choice, role: given } }, tell(`role: ${given}`, "dim"));
}

function roleLines(roles: ChatState["facts"]["roles"], now: string | undefined): Told[] {
	const width = Math.max(...roles.map(({ name }) => name.length));
	const lines = roles.map(({ name, description }): Told => {
		const mark = name === now ? "* " : "  ";
		return { text: `${mark}${padWidth(name, width)}  ${preview(description, MAX_DESCRIPTION)}`, tone: "plain" };
	});
	return [...lines, { text: now === undefined ? "no role" : `role: ${now}`, tone: "dim" }];
}

function permissions(state: ChatState): Told[] {
	const { limits } = rootOf(state) ?? {};
	const depth = limits === undefined ? [] : [`child agents: ${limits.maxAgents} in total, ${limits.maxDepth} levels`];
	return [
		`${whereCommandsRun(state)}; they do not see the model keys`,
		...depth,
		state.run?.skipsPermissions
			? "commands run without asking, except those that a rule denies; Esc interrupts"
			: "asks before git push, publishing, and commands your rules name; everything else runs (change with --ask); Esc interrupts",
	].map((text) => ({ text, tone: "plain" }));
}

/** The places of a sandbox are looked for when the run begins. */
function whereCommandsRun(state: ChatState): string {
	const { directory, sandboxMode } = state.facts;
	const root = rootOf(state);
	const restOf = "they can read everything else except secrets";
	if (root === undefined && sandboxMode !== undefined) {
		const written = sandboxMode === "read-only" ? "nothing but /tmp" : "this project and /tmp";
		return `commands will run in a sandbox (${sandboxMode}: writes to ${written}); ${restOf}`;
	}
	if (root?.sandbox !== undefined) return `commands run in a sandbox (${root.sandbox}); ${restOf}`;
	return `commands run as you, in ${directory}, without a sandbox: they can do everything you can`;
}
