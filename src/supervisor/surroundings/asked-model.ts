/** The model that a joining process asks for. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { checkModel, fileOfModel, resolveModel } from "../../models/providers.ts";
import type { Join } from "../../wire/agent-messages.ts";

/** Where the scripts lie that an agent may name, beside the run's own: in the directory where the run works, or its own. */
export interface ModelBounds {
	/** The run's model. */
	readonly model: string;
	/** A name that is not known is left to the service. */
	readonly takesAnyModel?: boolean | undefined;
	/** The services of the user's configuration file. */
	readonly hosts?: readonly UserHost[];
	readonly cwd: string;
	/** The run's directory. */
	readonly directory: string;
	/** The git worktrees of agents. */
	readonly worktrees?: readonly string[];
}

/**
 * The model's full name; undefined when the process asks for none. Throws AgentreeError for an unknown model and for a file
 * that cannot be read or may not be: it is the supervisor that opens it, with the rights of the person who started the run.
 */
export function askedModel({ model, startedIn }: Join, bounds: ModelBounds): string | undefined {
	if (model === undefined) return undefined;
	const name = resolveModel(model, startedIn, {
		from: "--model",
		isAnyTaken: bounds.takesAnyModel,
		hosts: bounds.hosts,
	});
	checkModel(name);
	const file = fileOfModel(name);
	if (file !== undefined && name !== bounds.model) checkFile(file, bounds);
	return name;
}

function checkFile(file: string, { cwd, directory, worktrees = [] }: ModelBounds): void {
	const path = realpathSync(file);
	const roots = [cwd, directory, ...worktrees.filter((place) => existsSync(place))]
		.map(realOf)
		.filter((root) => root !== undefined && root !== sep);
	if (!roots.some((root) => path.startsWith(`${root}${sep}`)))
		throw new AgentreeError(
			"script",
			`the script ${file} lies outside of ${cwd}: inside a run name a script below that directory, or no model, for your own`,
		);
	if (!statSync(path).isFile()) throw new AgentreeError("script", `the script ${file} is not a regular file`);
}

function realOf(directory: string): string | undefined {
	try {
		return realpathSync(directory);
	} catch {
		return undefined; // it was removed
	}
}
