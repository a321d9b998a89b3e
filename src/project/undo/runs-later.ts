/**
 * What of a project other programs run later, outside of any sandbox: when a person uses git there, opens it in an editor, enters it with
 * a shell, or installs and builds. Which files these are, and how they are told. Pure.
 */
import { inOneLine } from "../../text/safe/terminal-safe.ts";

const LATER_WHEN = ["git", "editor", "shell", "packages", "build"] as const;

export interface RunsLater {
	readonly when: (typeof LATER_WHEN)[number];
	/** From the project's directory. */
	readonly path: string;
	/** More than that the file has changed. */
	readonly what?: string;
}

const NAMES: readonly { readonly when: RunsLater["when"]; readonly is: RegExp; readonly depth?: number }[] = [
	{
		when: "git",
		is: /(^|\/)(\.husky(\/[^/]+)?|\.pre-commit-config\.ya?ml|\.?lefthook(-local)?\.(ya?ml|toml|json)|\.overcommit\.yml)$/,
	},
	{
		when: "editor",
		is: /(^|\/)(\.(vscode|idea|zed|fleet|devcontainer|cursor|claude|agentree|codex|gemini|opencode)(\/.*)?|\.mcp\.json|\.devcontainer\.json|\.nvim\.lua|\.nvimrc|\.exrc|\.vimrc|\.dir-locals\.el|[^/]*\.code-workspace)$/,
	},
	{ when: "shell", is: /(^|\/)(\.envrc|\.?mise\.toml)$/ },
	{
		when: "packages",
		is: /(^|\/)(\.npmrc|\.yarnrc(\.yml)?|\.pnpmfile\.c?js|\.yarn\/(releases|plugins)(\/.*)?|bunfig\.toml|binding\.gyp)$/,
	},
	{
		when: "build",
		is: /(^|\/)(GNUmakefile|[Mm]akefile|CMakeLists\.txt|meson\.build|[Jj]ustfile|Taskfile\.ya?ml|build\.rs|\.cargo(\/config(\.toml)?)?|rust-toolchain(\.toml)?|setup\.py|conftest\.py|noxfile\.py|(build|settings)\.gradle(\.kts)?|gradlew|mvnw|pom\.xml|Directory\.Build\.(props|targets)|Rakefile|[^/]+\.gemspec|Gemfile|mix\.exs|build\.sbt|build\.zig|\.mvn(\/.*)?|gradle\/wrapper\/gradle-wrapper\.(jar|properties)|(flake|shell|default)\.nix)$/,
		depth: 3, // deeper there is what others have made: sources that were fetched
	},
];

/** When the file at a path is run, by its name alone. */
export function whenRun(path: string): RunsLater["when"] | undefined {
	const depth = path.split("/").length;
	return NAMES.find(({ is, depth: most = depth }) => depth <= most && is.test(path))?.when;
}

/** Directly in a home: what shells, sessions and other programs of a person's read when they start, or directories of such files. */
const START_FILE =
	/^\.(bash(rc|_profile|_login|_logout|_aliases)|z(shrc|shenv|profile|login|logout)|profile|x(profile|session|sessionrc|initrc)|pam_environment|config|local|ssh|vim|vimrc|emacs|emacs\.d|gitconfig|tmux\.conf|inputrc|gdbinit)$/;

export function isStartFile(name: string): boolean {
	return START_FILE.test(name);
}

export function newStartFile(path: string): RunsLater {
	return { when: "shell", path };
}

/** package.json(5): what npm and others run when they install. */
const ON_INSTALL = [
	...["preinstall", "install", "postinstall", "prepare", "preprepare", "postprepare", "dependencies", "prepublish"],
	"pnpm:devPreinstall",
];

/** The scripts of a package.json that run when it is installed; none of what is no such file. */
function scriptsOnInstall(text: string): Readonly<Record<string, string>> {
	try {
		const { scripts } = JSON.parse(text);
		return Object.fromEntries(Object.entries<string>(scripts ?? {}).filter(([name]) => ON_INSTALL.includes(name)));
	} catch {
		return {};
	}
}

export function changedScripts(before: string, after: string): string[] {
	const [was, is] = [before, after].map(scriptsOnInstall);
	return Object.keys(is ?? {}).filter((name) => is?.[name] !== was?.[name]);
}

/** git-rebase(1): a list of what is left to be done, in which a line may be a command. */
export function hasCommands(todo: string): boolean {
	return /^\s*(x|exec)\s/m.test(todo);
}

/** git-merge(1): the strategy `x/y` is the program `git-merge-x/y` of the tree. */
export function namesStrategy(text: string): boolean {
	return /^(\s*strategy\s*=)?[^=]*\//m.test(text);
}

const WHEN_TEXT: Readonly<Record<RunsLater["when"], string>> = {
	git: "git",
	editor: "an editor or another agent",
	shell: "a shell",
	packages: "a package installation",
	build: "a build",
};
const MOST_OF_ONE = 3;

/** At most six lines; none for nothing. */
export function laterLines(found: readonly RunsLater[]): string[] {
	const lines = LATER_WHEN.flatMap((when) => {
		const own = found.filter((each) => each.when === when);
		const named = own
			.slice(0, MOST_OF_ONE)
			.map(({ path, what }) => inOneLine(what === undefined ? path : `${path} (${what})`));
		const more = own.length - named.length;
		return own.length === 0 ? [] : [`  ${WHEN_TEXT[when]}: ${named.join(", ")}${more > 0 ? ` (${more} more)` : ""}`];
	});
	return lines.length === 0 ? [] : ["changed files that run when you use:", ...lines];
}
