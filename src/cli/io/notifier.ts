/** Tells a person who looks elsewhere by a command of their own, as their configuration has it. */
import { AgentreeError } from "../../core/errors.ts";
import { absolutePath } from "../../core/machine/paths.ts";
import type { Notify } from "../../models/user-configuration.ts";
import { readConfiguration } from "./user-files.ts";

/** Such a command shows something and ends. */
const MOST_MS = 10_000;

/** As the person's configuration file has it; one that cannot be read is no reason to show nothing: then a bell is rung. */
export async function notifierIn(
	env: Readonly<Record<string, string | undefined>>,
	cwd: string,
): Promise<((text: string) => void) | undefined> {
	try {
		return notifierOf((await readConfiguration(env, () => cwd)).notify, env);
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}

/** Undefined for who has no command: then a bell is rung. The notice is in AGENTREE_NOTICE, so that no shell reads it. */
export function notifierOf(
	notify: Notify,
	env: Readonly<Record<string, string | undefined>>,
): ((text: string) => void) | undefined {
	switch (notify.is) {
		case "bell":
			return undefined;
		case "off":
			return () => {};
		case "command":
			return (text) => void runNotice(notify.command, text, env);
	}
}

/** Whatever comes of it, the conversation goes on. */
async function runNotice(
	command: string,
	text: string,
	env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
	const { execa } = await import("execa");
	const child = execa("/bin/sh", ["-c", command], {
		...{ env: { ...env, PATH: absolutePath(env.PATH), AGENTREE_NOTICE: text }, extendEnv: false, reject: false },
		...{ stdio: "ignore", timeout: MOST_MS, cleanup: false },
	});
	child.unref();
}
