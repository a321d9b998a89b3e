/** Whether and how the agents of a run may ask a person, from its options and the user's configuration. */

import { SKIPPED } from "../../core/ask-mode.ts";
import { defined } from "../../core/defined.ts";
import type { AskedNarrowing } from "../../core/rules/narrowing.ts";
import type { WrittenRules } from "../../core/rules/rule.ts";
import type { UserConfiguration } from "../../models/user-configuration.ts";
import type { AskingRequest } from "../../project/config/asking-options.ts";
import type { AskingSettings } from "../../wire/supervise-order.ts";
import type { AnswersForProject } from "./answers-for-project.ts";

/** `screen`: a person looks at the run. `later`: it goes on without this process, or talks with a program: a person may come to it. */
export type Face = "screen" | "later" | "none";

interface Around {
	readonly configuration: Pick<UserConfiguration, "ask" | "permissions">;
	readonly face: Face;
	/** The rules of the project's own file. */
	readonly ofProject?: WrittenRules | undefined;
	/** What was answered for good in this project. */
	readonly answers?: AnswersForProject | undefined;
	/** The role of the root. */
	readonly role?: { readonly asking?: AskedNarrowing } | undefined;
}

const NONE: AskingRequest = { waits: false, rules: { allow: [], ask: [], deny: [] } };

export function askingOfRun(
	request: AskingRequest = NONE,
	{ configuration, face, ofProject, answers, role }: Around,
): AskingSettings {
	const { timeoutMs } = request;
	const { permissions, ask } = configuration;
	const sets: WrittenRules[] = [
		...(permissions === undefined ? [] : [{ source: "your configuration", ...permissions }]),
		...(ofProject === undefined ? [] : [ofProject]),
		...(answers === undefined
			? []
			: [{ source: "your answers for this project", allow: answers.rules, ask: [], deny: [] }]),
		{ source: "the command line", ...request.rules },
	].filter((set) => set.allow.length + set.ask.length + set.deny.length > 0);
	if (request.skipsPermissions) {
		const rules = someOf(sets.filter(({ deny }) => deny.length > 0).map((set) => ({ ...set, allow: [], ask: [] })));
		return { waits: request.waits, mode: SKIPPED, ...defined({ timeoutMs, rules, narrowing: role?.asking }) };
	}
	const mode = request.mode ?? ask ?? (face === "screen" || request.waits ? "edge" : "never");
	const waits = request.waits || (face !== "none" && mode !== "never");
	const project = answers && { root: answers.root, file: answers.file };
	return { waits, mode, ...defined({ timeoutMs, project, rules: someOf(sets), narrowing: role?.asking }) };
}

function someOf<T>(list: readonly T[]): readonly T[] | undefined {
	return list.length === 0 ? undefined : list;
}
