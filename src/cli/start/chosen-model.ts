/** Which model a run's root gets: what was typed, else its role's, else that of a variable, else the default. */
import { dirname } from "node:path";
import type { RunRequest } from "../../config/run-request.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { FoundRole } from "../../instructions/find-role.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { resolveModel } from "../../models/providers.ts";

export interface ChosenModel {
	readonly model: string;
	readonly nameFrom: string | undefined;
	/** A line for people, when the role's model is not used. */
	readonly notice?: string;
}

/** Throws AgentreeError("usage") for an unknown model, but not for one of a role. */
export function chosenModel(
	{ model, modelFrom, startedIn }: Pick<RunRequest, "model" | "modelFrom" | "startedIn">,
	role: Pick<FoundRole, "name" | "model" | "path"> | undefined,
	{ defaultModel, ...known }: { defaultModel: string; isAnyTaken: boolean; hosts?: readonly UserHost[] },
): ChosenModel {
	const isTyped = modelFrom === "--model";
	const usual = () => ({
		model: resolveModel(model ?? defaultModel, startedIn, { from: modelFrom, ...known }),
		nameFrom: modelFrom,
	});
	if (role?.model === undefined || isTyped) return usual();
	const nameFrom = `the role ${role.name}`;
	try {
		return { model: resolveModel(role.model, dirname(role.path ?? ""), { from: nameFrom, ...known }), nameFrom };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return { ...usual(), notice: `of the role ${role.name} the model has no effect: ${error.message}` };
	}
}
