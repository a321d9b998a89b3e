/**
 * The user's configuration file: `prices` and `providers` of models, `permissions`, the rules for commands, and `notify`, a command that tells a person who looks elsewhere
 * that a conversation waits for them.
 */
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
	/** Absent: no rules. */
	readonly permissions?: Permissions;
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
	const { prices, providers, notify, permissions } = whole.map(["prices", "providers", "notify", "permissions"]);
	const hosted = parseUserHosts(providers);
	return {
		prices: [...pricedModels(prices), ...hosted.prices],
		hosts: hosted.hosts,
		notify: parseNotify(notify),
		...(permissions && { permissions: parsePermissions(permissions) }),
	};
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
	if (command === "") return written?.fail("a command, bell or off is expected here") ?? { is: "bell" };
	return command === "off" || command === "false" ? { is: "off" } : { is: "command", command };
}
