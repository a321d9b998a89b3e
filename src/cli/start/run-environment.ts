/** The environment that a run's agents begin with. A person is told where it is not what they may expect. */
import { gitTiesIn, withoutGitTies } from "../../project/config/git-environment.ts";
import { bytesNotice } from "../../project/config/not-utf8.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import { complain } from "../../terminal/print.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Asked = Pick<RunRequest, "cleansGitEnvironment" | "isQuiet">;

export function runEnvironment(env: Environment, { cleansGitEnvironment, isQuiet }: Asked): Environment {
	const clean = cleansGitEnvironment === true ? withoutGitTies(env) : env;
	if (!isQuiet) for (const notice of [gitNotice(clean), bytesNotice(clean)]) if (notice) complain(`agent: ${notice}`);
	return clean;
}

function gitNotice(env: Environment): string | undefined {
	const ties = gitTiesIn(env);
	if (ties.length === 0) return undefined;
	const are = ties.length === 1 ? "is" : "are";
	return `${ties.join(", ")} ${are} set, as in a git hook: git in the agents' commands uses what they name, wherever it runs; --clean-git-env takes them out`;
}
