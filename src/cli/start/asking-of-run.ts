/** Whether and how the agents of a run may ask a person, from its options and the user's configuration. */
import type { AskingRequest } from "../../config/asking-options.ts";
import { SKIPPED } from "../../core/ask-mode.ts";
import { defined } from "../../core/defined.ts";
import type { WrittenRules } from "../../core/rules/rule-set.ts";
import type { Permissions } from "../../models/user-configuration.ts";
import type { AskingSettings } from "../../protocol/supervise-order.ts";

const NONE: AskingRequest = { waits: false, rules: { allow: [], ask: [], deny: [] } };

/** `hasFace`: the run is started with a screen, or goes on without this process: a person comes to it. */
export function askingOfRun(
	{ waits, timeoutMs, mode, rules, skipsPermissions }: AskingRequest = NONE,
	{ permissions, hasFace }: { permissions: Permissions | undefined; hasFace: boolean },
): AskingSettings {
	const sets: WrittenRules[] = [
		...(permissions === undefined ? [] : [{ source: "your configuration", ...permissions }]),
		{ source: "the command line", ...rules },
	].filter(({ allow, ask, deny }) => allow.length + ask.length + deny.length > 0);
	if (skipsPermissions) {
		const denying = sets.filter(({ deny }) => deny.length > 0).map((set) => ({ ...set, allow: [], ask: [] }));
		return { waits, mode: SKIPPED, ...defined({ timeoutMs, rules: denying.length === 0 ? undefined : denying }) };
	}
	const isAsking = waits || (hasFace && (mode === "edge" || mode === "always"));
	const inForce = mode ?? (sets.length === 0 ? undefined : isAsking ? "edge" : "never");
	return { waits: isAsking, ...defined({ timeoutMs, mode: inForce, rules: sets.length === 0 ? undefined : sets }) };
}
