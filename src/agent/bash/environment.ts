/** The environment of a command: the agent's own, without keys and settings, with its place in the tree. Pure. */

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandPlace {
	readonly run: string;
	readonly agent: string;
	readonly command: number;
	readonly token: string;
	readonly socket: string;
	readonly shimDirectory: string;
	readonly home: string;
}

/** What a command does not get from the agent, and why. */
const REMOVED: readonly { readonly names: RegExp; readonly because: string }[] = [
	{ names: /^ANTHROPIC_/, because: "the model's keys, address and settings: only the supervisor asks the model" },
	{ names: /^CLAUDE.*(KEY|TOKEN|SECRET)/, because: "keys to the same models under another product's names" },
	{ names: /^AWS_BEARER_TOKEN_BEDROCK$/, because: "a key to models, and to nothing else" },
	{
		names: /^AGENTREE_(?!PROCESS_TABLE$)/,
		because: "limits and settings come through the supervisor, the place is below",
	},
	{ names: /^(BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_XTRACEFD)$/, because: "they change what bash -c does at its start" },
	{ names: /^(FORCE_COLOR|CLICOLOR_FORCE)$/, because: "they win over NO_COLOR" },
];

const NO_EDITOR =
	"sh -c 'echo \"no editor can be opened here: give the text as an option (git commit -m) or write the file\" >&2; exit 1' --";

/** Nothing of it opens a pager, an editor or a question, none of which anyone would see. */
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

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * `AGENTREE_AGENT` names the agent whose command it is, `AGENTREE_COMMAND` which of its commands, and `AGENTREE_TRAIL`
 * all commands above it, too: `RUN 1:3 1.2:1` is command 1 of agent 1.2, which command 3 of agent 1 started.
 */
export function commandEnvironment(base: Environment, place: CommandPlace): Record<string, string> {
	const environment = withoutKeys(base);
	return {
		...environment,
		...UNATTENDED,
		PATH: withFirst(place.shimDirectory, environment.PATH || DEFAULT_PATH),
		AGENTREE_SOCKET: place.socket,
		AGENTREE_TOKEN: place.token,
		AGENTREE_AGENT: `${place.run}/${place.agent}`,
		AGENTREE_COMMAND: String(place.command),
		AGENTREE_TRAIL: trailOf(base, place),
		AGENTREE_HOME: place.home,
	};
}

/** What agents and their commands may have of the environment that a run was started in. */
export function withoutKeys(base: Environment): Record<string, string> {
	const environment: Record<string, string> = {};
	for (const [name, value] of Object.entries(base))
		if (value !== undefined && !REMOVED.some(({ names }) => names.test(name))) environment[name] = value;
	return environment;
}

/** True for the environment of a process of this command, or of a command below it. */
export function isOfCommand(environment: Environment, command: Environment): boolean {
	const trail = command.AGENTREE_TRAIL;
	if (trail !== undefined && isWithinTrail(environment.AGENTREE_TRAIL, trail)) return true;
	return (
		command.AGENTREE_AGENT !== undefined &&
		environment.AGENTREE_AGENT === command.AGENTREE_AGENT &&
		environment.AGENTREE_COMMAND === command.AGENTREE_COMMAND
	);
}

function isWithinTrail(trail: string | undefined, above: string): boolean {
	return trail === above || trail?.startsWith(`${above} `) === true;
}

function trailOf(base: Environment, { run, agent, command }: CommandPlace): string {
	const above = isWithinTrail(base.AGENTREE_TRAIL, run) ? base.AGENTREE_TRAIL : run;
	return `${above} ${agent}:${command}`;
}

/** Once: a child agent's own PATH begins with it already. */
function withFirst(directory: string, path: string): string {
	return [directory, ...path.split(":").filter((entry) => entry !== directory)].join(":");
}
