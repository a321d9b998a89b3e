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
import { parseUserHosts } from "./user-hosts.ts";
import { pricedModels } from "./user-prices.ts";

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
export interface Permissions {
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
		...(ask && { ask: parseMode(ask) }),
		...(permissions && { permissions: parsePermissions(permissions) }),
	};
}

function parseMode(written: Located): AskMode {
	const text = written.string();
	return ASK_MODES.find((mode) => mode === text) ?? written.fail(`one of ${ASK_MODES.join(", ")} is expected`);
}

function parsePermissions(written: Located): Permissions {
	const lists = written.map(["allow", "ask", "deny"]);
	const rules = (list: Located | undefined) => list?.list().map(parseWrittenRule) ?? [];
	return { allow: rules(lists.allow), ask: rules(lists.ask), deny: rules(lists.deny) };
}

function parseWrittenRule(written: Located): string {
	const parsed = parseRule(written.string());
	return parsed.is === "rule" ? parsed.rule.text : written.fail(parsed.reason);
}

function parseNotify(written: Located | undefined): Notify {
	const command = written?.string().trim();
	if (command === undefined || command === "bell") return { is: "bell" };
	if (command === "") return written?.fail("a command, bell or off is expected") ?? { is: "bell" };
	return command === "off" || command === "false" ? { is: "off" } : { is: "command", command };
}

/** `sandbox` in the user's configuration file: what a run's sandbox is like where neither flags nor variables say it. */

const WORDS = [...SANDBOX_MODES, "required"] as const;

/** Paths are as they are written. Undefined for no such key, and for an empty one. */
function parseSandbox(written: Located | undefined): SandboxWish | undefined {
	if (written === undefined || written.data() === null) return undefined;
	const { mode, allow_write, allow_read, deny_read, net, allow_hosts } = written.map([
		...["mode", "allow_write", "allow_read", "deny_read", "net", "allow_hosts"],
	]);
	const word = oneOf(mode, WORDS);
	const allowHosts = textsOf(allow_hosts);
	return defined({
		mode: word === "required" ? ("workspace" as const) : word,
		isRequired: word === "required" ? (true as const) : undefined,
		allowWrite: textsOf(allow_write),
		...{ allowRead: textsOf(allow_read), denyRead: textsOf(deny_read) },
		network: oneOf(net, NETWORKS) ?? (allowHosts === undefined ? undefined : ("proxy" as const)),
		allowHosts,
	});
}

function oneOf<const T extends string>(written: Located | undefined, known: readonly T[]): T | undefined {
	if (written === undefined) return undefined;
	const text = written.string();
	return known.find((word) => word === text) ?? written.fail(`one of ${known.join(", ")} is expected`);
}

function textsOf(written: Located | undefined): readonly string[] | undefined {
	return written?.list().map((each) => each.string().trim() || each.fail("a text is expected"));
}
