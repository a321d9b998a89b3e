/**
 * What git does in another way where its configuration cannot be written: in a sandbox that is kept, since git would run what it names.
 * docs/sandbox.md has a row for each. Pure.
 */

interface Remedy {
	/** The command, by the plain name of its program. */
	readonly of: RegExp;
	readonly words: string;
	/** All is done that the command is for. */
	readonly isHarmless?: true;
}

export interface GitRemedy {
	readonly words: string;
	readonly isHarmless: boolean;
}

const UPSTREAM =
	"all but the upstream branch is done: name remote and branch with git push and pull, as in git push origin HEAD";
const REMEDIES: readonly Remedy[] = [
	{
		of: /^git remote (?:add|set-url|set-branches)\b/,
		words:
			"git fetch URL BRANCH and git push URL BRANCH need no remote; git -c remote.NAME.url=URL -c remote.NAME.fetch=+refs/heads/*:refs/remotes/NAME/* fetch NAME makes its branches",
	},
	{ of: /^git branch\b.* (?:-u|--set-upstream-to)\b/, words: UPSTREAM },
	{ of: /^git (?:push|fetch|pull)\b.* (?:-\w*u|--set-upstream)\b/, words: UPSTREAM, isHarmless: true },
	{ of: /^git branch\b.* (?:-t|--track)\b|^git (?:switch|checkout)\b/, words: UPSTREAM, isHarmless: true },
	{
		of: /^git branch\b/,
		words: "the branch itself is changed, only what is configured for it is as before",
		isHarmless: true,
	},
	{
		of: /^git submodule (?:init|update|add|sync|set-url)\b|^git clone\b.*--recurse/,
		words:
			"git -c submodule.active=. -c submodule.NAME.url=URL submodule update fetches one, with the URL that .gitmodules has",
	},
	{
		of: /^git sparse-checkout\b/,
		words:
			"write patterns to .git/info/sparse-checkout, then git -c core.sparseCheckout=true read-tree -mu HEAD leaves out the rest",
	},
	{
		of: /^git lfs (?:install|track|update)\b|^git-lfs\b/,
		words:
			'git -c filter.lfs.clean="git-lfs clean -- %f" -c filter.lfs.smudge="git-lfs smudge -- %f" -c filter.lfs.process="git-lfs filter-process" lfs pull fetches files without it',
	},
	{ of: /^git /, words: "git -c NAME=VALUE COMMAND sets it for one command" },
];

/** In the words of git, and of git-lfs for hooks. */
const NOT_WRITTEN =
	/could not (?:write|lock) config file (.+?): (?:device or resource busy|read-only file system)|open (\S*\/hooks\/\S+): read-only file system/i;

const NO_IDENTITY =
	/^(?:author|committer) identity unknown$|^\*\*\* please tell me who you are|^fatal: (?:unable to auto-detect email|empty ident name|no (?:email|name) was given)/i;
/** Nobody has to be asked for it. */
const IDENTITY: GitRemedy = {
	words:
		'git knows no name and no address here: git -c user.name="NAME" -c user.email="ADDRESS" commit … gives them for one command',
	isHarmless: true,
};

/** `commands`: what was run, where that is known. Undefined: the line tells neither of git's configuration nor of what would stand there. */
export function gitRemedy(line: string, commands: readonly string[]): GitRemedy | undefined {
	if (NO_IDENTITY.test(line)) return IDENTITY;
	const [, file, hook] = NOT_WRITTEN.exec(line) ?? [];
	const path = file ?? hook;
	if (path === undefined) return undefined;
	const remedy = REMEDIES.find(({ of }) => commands.some((command) => of.test(command))) ?? REMEDIES.at(-1);
	const isHarmless = remedy?.isHarmless === true;
	const why = `${path} can be read, not written (git runs what it names)`;
	if (isHarmless) return { words: `outside the sandbox: ${why}; this is harmless: ${remedy.words}`, isHarmless };
	return { words: `${why}: ${remedy?.words}`, isHarmless };
}
