/** The role that a joining process asks for: it narrows what the process asks for itself, and never widens it. */
import { dirname } from "node:path";
import { defined } from "../core/defined.ts";
import { AgentreeError } from "../core/errors.ts";
import { LIMIT_TABLE, type Limits } from "../core/limits.ts";
import type { FoundRole } from "../instructions/find-role.ts";
import type { Join } from "../protocol/agent-messages.ts";
import { askedModel, type ModelBounds } from "./asked-model.ts";

/** What the process asks for comes before what its role has; of two limits the smaller one counts. */
export function inRole(join: Join, role: FoundRole, bounds: ModelBounds): Join {
	const model = join.model ?? modelOf(role, join, bounds);
	const effort = join.effort ?? role.effort;
	return { ...join, ...defined({ model, effort }), limits: narrower(join.limits, role.limits) };
}

/** Undefined when the role names none, or one that is not known here: then the agent gets that of its parent. */
function modelOf({ model, path = "" }: FoundRole, join: Join, bounds: ModelBounds): string | undefined {
	try {
		return model === undefined ? undefined : askedModel({ ...join, model, startedIn: dirname(path) }, bounds);
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
