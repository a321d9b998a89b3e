/** The role that a joining process asks for: it narrows what the process asks for itself, and never widens it. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { LIMIT_TABLE, type Limits } from "../../core/limits/limits.ts";
import { both } from "../../core/rules/narrowing.ts";
import { factsOf, type PricedModel } from "../../models/catalogue.ts";
import { costsNoMoreThan } from "../../models/provider/model-facts.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { checkModel, fileOfModel, resolveModel } from "../../models/providers.ts";
import type { FoundRole } from "../../project/instructions/find-role.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

export interface RoleBounds extends ModelBounds {
	/** The model of the agent that starts the process: a role's may not cost more. */
	readonly parentModel: string;
	readonly prices: readonly PricedModel[];
	/** That of the run. */
	readonly sandbox?: RunSettings["sandbox"];
}

/** What the process asks for comes before what its role has; of two limits the smaller one counts. */
export function inRole(join: Join, role: FoundRole, bounds: RoleBounds): Join {
	const model = join.model ?? roleModel(role, join, bounds).model;
	const effort = join.effort ?? role.effort;
	const sandbox = narrowedByRole(join.sandbox, role, bounds);
	const asking = both(role.asking, join.asking);
	return { ...join, ...defined({ model, effort, sandbox, asking }), limits: narrower(join.limits, role.limits) };
}

/** Where a run has no sandbox a role makes none. */
function narrowedByRole(
	asked: Join["sandbox"],
	{ sandbox: mode }: FoundRole,
	{ sandbox }: Pick<RoleBounds, "sandbox">,
): Join["sandbox"] {
	return sandbox !== undefined && mode === "read-only" ? { ...asked, mode } : asked;
}

/** The model of the role for a process that asks for none. `notice`: why it has none, although the role names one; it gets its parent's. */
export function roleModel(
	{ model: named, path = "" }: FoundRole,
	join: Join,
	bounds: RoleBounds,
): { readonly model?: string; readonly notice?: string } {
	if (named === undefined) return {};
	const { parentModel, prices } = bounds;
	const notice = (why: string) => ({ notice: `model (${named}): ${why}` });
	const found = known({ ...join, model: named, startedIn: dirname(path) }, bounds);
	if (found === undefined) return notice("it is unknown");
	if (found === parentModel) return { model: found };
	const costs = costsNoMoreThan(factsOf(found, prices).price, factsOf(parentModel, prices).price);
	if (costs === "no_more") return { model: found };
	const why = costs === "more" ? "it costs more than" : "it may cost more than";
	return notice(`${why} ${parentModel}, the model of the agent above`);
}

/** Undefined for a model that is not known here. */
function known(join: Join, bounds: ModelBounds): string | undefined {
	try {
		return askedModel(join, bounds);
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}

function narrower(one: Join["limits"], other: Partial<Limits>): Partial<Limits> {
	const both = LIMIT_TABLE.flatMap(({ key }) => {
		const values = [one[key], other[key]].filter((value) => value !== undefined);
		return values.length === 0 ? [] : [[key, Math.min(...values)]];
	});
	return Object.fromEntries(both);
}

/** The model that a joining process asks for. */

/** Where the scripts lie that an agent may name, beside the run's own: in the directory where the run works, or its own. */
interface ModelBounds {
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
			`the script ${file} is outside ${cwd}: inside a run, use a script below that directory, or leave out --model to keep yours`,
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
