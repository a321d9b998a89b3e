/**
 * The user's configuration file: `prices` and `providers` of models, `ask` and `permissions`, when a person is asked and the rules for commands,
 * `sandbox`, and `notify`, a command that tells a person who looks elsewhere that a conversation, or an agent that asks, waits for them.
 */
import { ASK_MODES, type AskMode } from "../core/ask-mode.ts";
import { defined } from "../core/defined.ts";
import { NETWORKS, SANDBOX_MODES, type SandboxWish } from "../core/machine/sandbox.ts";
import { parseRule } from "../core/rules/rule.ts";
import type { PricedModel } from "./catalogue.ts";
import type { UserHost } from "./provider/user-host.ts";
import { type Located, parseLocated } from "./user-files/located-yaml.ts";
import { parseUserHosts, pricedModels } from "./user-providers.ts";

export interface UserConfiguration {
	readonly prices: readonly PricedModel[];
	readonly hosts: readonly UserHost[];
	readonly notify: Notify;
	/** When a person is asked in runs that do not say otherwise. */
	readonly ask?: AskMode;
	/** Absent: no rules. */
	readonly permissions?: Permissions;
	/** Of runs that do not say otherwise. */
	readonly sandbox?: SandboxWish | undefined;
}

/** Rules, each as it is written. */
interface Permissions {
	readonly allow: readonly string[];
	readonly ask: readonly string[];
	readonly deny: readonly string[];
}

/** `command`: for a shell. */
export type Notify = { readonly is: "bell" | "off" } | { readonly is: "command"; readonly command: string };

/** Throws AgentreeError("script") with file, line and column of the first error. */
export function parseUserConfiguration(text: string, file: string): UserConfiguration {
	const whole = parseLocated(text, file);
	if (whole.data() === null) return { prices: [], hosts: [], notify: { is: "bell" } }; // nothing in it but comments
	const keys = ["prices", "providers", "notify", "ask", "permissions", "sandbox"];
	const { prices, providers, notify, ask, permissions, sandbox } = whole.map(keys);
	const hosted = parseUserHosts(providers);
	return {
		prices: [...pricedModels(prices), ...hosted.prices],
		hosts: hosted.hosts,
		notify: parseNotify(notify),
		...defined({ sandbox: parseSandbox(sandbox) }),
		...defined({ ask: ask?.oneOf(ASK_MODES) }),
		...(permissions && { permissions: parsePermissions(permissions) }),
	};
}

function parsePermissions(written: Located): Permissions {
	const lists = written.map(["allow", "ask", "deny"]);
	return { allow: rulesIn(lists.allow), ask: rulesIn(lists.ask), deny: rulesIn(lists.deny) };
}

function rulesIn(written: Located | undefined): string[] {
	const list = written?.list() ?? [];
	return list.map((each) => {
		const parsed = parseRule(each.string());
		return parsed.is === "rule" ? parsed.rule.text : each.fail(parsed.reason);
	});
}

function parseNotify(written: Located | undefined): Notify {
	const command = written?.string().trim();
	if (command === undefined || command === "bell") return { is: "bell" };
	if (command === "") return written?.fail("a command, bell or off is expected") ?? { is: "bell" };
	return command === "off" || command === "false" ? { is: "off" } : { is: "command", command };
}

const WORDS = [...SANDBOX_MODES, "required"] as const;

/**
 * The sandbox of a run where neither flags nor variables say it. Paths are as they are written. Undefined for no such key, and for an
 * empty one.
 */
function parseSandbox(written: Located | undefined): SandboxWish | undefined {
	if (written === undefined || written.data() === null) return undefined;
	const { mode, allow_write, allow_read, deny_read, net, allow_hosts } = written.map([
		...["mode", "allow_write", "allow_read", "deny_read", "net", "allow_hosts"],
	]);
	const word = mode?.oneOf(WORDS);
	const allowHosts = textsOf(allow_hosts);
	return defined({
		mode: word === "required" ? ("workspace" as const) : word,
		isRequired: word === "required" ? (true as const) : undefined,
		allowWrite: textsOf(allow_write),
		...{ allowRead: textsOf(allow_read), denyRead: textsOf(deny_read) },
		network: net?.oneOf(NETWORKS) ?? (allowHosts === undefined ? undefined : ("proxy" as const)),
		allowHosts,
	});
}

function textsOf(written: Located | undefined): readonly string[] | undefined {
	return written?.list().map((each) => each.string().trim() || each.fail("a text is expected"));
}

/** `.agentree/config.yaml` of a project, which somebody else may have written: its rules ask and deny, and allow nothing. */
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
