/** `.agentree/config.yaml` of a project, which somebody else may have written: its rules ask and deny, and allow nothing. */
import { parseRule } from "../core/rules/rule.ts";
import { type Located, parseLocated } from "./user-files/located-yaml.ts";

interface ProjectSettings {
	readonly ask: readonly string[];
	readonly deny: readonly string[];
	/** What of it has no effect, a line each. */
	readonly notices: readonly string[];
}

/** Throws AgentreeError("script") with file, line and column of the first error: what was meant to be denied is not left out. */
export function parseProjectSettings(text: string, file: string): ProjectSettings {
	const whole = parseLocated(text, file);
	if (whole.isMap() === false && whole.data() === null) return { ask: [], deny: [], notices: [] };
	const entries = whole.entries();
	const permissions = entries.find(({ key }) => key === "permissions")?.value.map(["allow", "ask", "deny"]) ?? {};
	const { allow, ask, deny } = permissions;
	const others = entries.filter(({ key }) => key !== "permissions").map(({ key }) => key);
	return {
		...{ ask: rulesIn(ask), deny: rulesIn(deny) },
		notices: [
			...(allow === undefined ? [] : [`${file}: its allow rules are ignored: a project can only ask and deny`]),
			...(others.length === 0 ? [] : [`${file}: only permissions are used, not ${others.join(", ")}`]),
		],
	};
}

function rulesIn(written: Located | undefined): string[] {
	const list = written?.list() ?? [];
	return list.map((each) => {
		const parsed = parseRule(each.string());
		return parsed.is === "rule" ? parsed.rule.text : each.fail(parsed.reason);
	});
}
