/** The environment of a command: the agent's own, without keys and settings, with the command's place in the tree. Pure. */
import { USUAL_PATH } from "../../core/machine/paths.ts";
import { type CookieFields, certificatesFrom, commandCookie, type Environment } from "../../core/run/cookie.ts";

export interface CommandPlace extends CookieFields {
	readonly shimDirectory: string;
	readonly home: string;
}

/** The variables that a command does not get from its agent, and why. */
const REMOVED: readonly { readonly names: RegExp; readonly because: string }[] = [
	{ names: /^ANTHROPIC_/, because: "the model's keys, address and settings: only the supervisor asks the model" },
	{ names: /^CLAUDE.*(KEY|TOKEN|SECRET)/, because: "keys to the same models under another product's names" },
	{ names: /^AWS_BEARER_TOKEN_BEDROCK$/, because: "a key to models, and to nothing else" },
	{
		names: /^AGENTREE_(?!PROCESS_TABLE$)/,
		because: "limits and settings come through the supervisor; the command's place is set below",
	},
	{ names: /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_XTRACEFD)$/, because: "they change what bash -c does at its start" },
	{ names: /^(FORCE_COLOR|CLICOLOR_FORCE)$/, because: "they win over NO_COLOR" },
];

const NO_EDITOR =
	"sh -c 'echo \"no editor can be opened here: give the text as an option (git commit -m) or write the file\" >&2; exit 1' --";

/** Keeps programs from opening a pager, an editor or a question, which no person would see. */
const UNATTENDED: Readonly<Record<string, string>> = {
	AI_AGENT: "agentree",
	PAGER: "cat",
	GIT_PAGER: "cat",
	MANPAGER: "cat",
	GIT_TERMINAL_PROMPT: "0",
	EDITOR: NO_EDITOR,
	VISUAL: NO_EDITOR,
	GIT_EDITOR: NO_EDITOR,
	GIT_SEQUENCE_EDITOR: NO_EDITOR,
	NO_COLOR: "1",
	TERM: "dumb",
};

export function commandEnvironment(base: Environment, place: CommandPlace): Record<string, string> {
	const environment = withoutKeys(base);
	return {
		...environment,
		...certificatesFrom(base),
		...UNATTENDED,
		PATH: withFirst(place.shimDirectory, environment.PATH || USUAL_PATH),
		...commandCookie(place, base),
		AGENTREE_HOME: place.home,
	};
}

/** The environment of a run without the variables that agents and their commands must not have. */
export function withoutKeys(base: Environment): Record<string, string> {
	const environment: Record<string, string> = {};
	for (const [name, value] of Object.entries(base))
		if (value !== undefined && !REMOVED.some(({ names }) => names.test(name))) environment[name] = value;
	return environment;
}

/** `path` with the directory first, and only there: a child agent's PATH begins with it already. */
function withFirst(directory: string, path: string): string {
	return [directory, ...path.split(":").filter((entry) => entry !== directory)].join(":");
}
