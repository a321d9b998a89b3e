/** Starts a child agent from the full command line, which knows more options than the quick one. */
import { runAgent } from "../../agent/run-agent.ts";
import { childJoin } from "../../agent/start/join-request.ts";
import { defined } from "../../core/defined.ts";
import type { SupervisorAddress } from "../../core/run/cookie.ts";
import { readNarrowing } from "../../project/config/asking-options.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { readSandboxWish } from "../../project/config/sandbox-wish.ts";
import { worktreeOption } from "./asked-worktree.ts";
import { childHost } from "./child-host.ts";
import { readSchema } from "./read-schema.ts";

/** Resolves to the exit code. Throws AgentreeError("usage") before anything has started. */
export async function startChild(
	supervisor: SupervisorAddress,
	line: { task: string | undefined; values: OptionValues },
	cwd: () => string,
): Promise<number> {
	const jsonSchema = await readSchema(line.values["json-schema"], cwd);
	const worktree = worktreeOption(line.values);
	const host = childHost({ ...line.values, ...(worktree && { "clean-git-env": true }) }); // or git would work elsewhere
	const sandbox = readSandboxWish(line.values, { env: {}, cwd });
	const join = {
		...(await childJoin(supervisor, line, host)),
		...defined({ jsonSchema, sandbox, asking: readNarrowing(line.values), worktree }),
	};
	return runAgent(join, { ...host, socket: supervisor.socket });
}
