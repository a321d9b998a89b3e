/** Refuses a child for which less is to be asked about than for the agent that starts it. */
import { faultOf } from "../core/rules/narrowing.ts";
import type { Join } from "../protocol/agent-messages.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import type { ResolvedParent } from "./decide/input.ts";
import type { RunSettings } from "./run-settings.ts";

interface Deps {
	readonly settings: Pick<RunSettings, "asking">;
	readonly registry: Pick<AgentRegistry, "get">;
}

export function withoutWidening(
	resolved: ResolvedParent,
	{ asking }: Pick<Join, "asking">,
	{ settings, registry }: Deps,
): ResolvedParent {
	if (resolved.is !== "child" || asking === undefined) return resolved;
	const reason = faultOf(asking, registry.get(resolved.parent)?.file.asking, settings.asking?.mode ?? "never");
	return reason === undefined ? resolved : { is: "unknown", reason };
}
