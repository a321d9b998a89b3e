/** Tells a person who looks elsewhere by a command of their own, as their configuration has it. */
import { spawn } from "node:child_process";
import { AgentreeError } from "../../core/errors.ts";
import { absolutePath } from "../../core/machine/absolute-path.ts";
import type { Notify } from "../../models/user-configuration.ts";
import { readConfiguration } from "./configuration.ts";

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
			return (text) => {
				const child = spawn("/bin/sh", ["-c", notify.command], {
					...{
						env: { ...env, PATH: absolutePath(env.PATH), AGENTREE_NOTICE: text },
						stdio: "ignore",
						timeout: MOST_MS,
					},
				});
				child.once("error", () => {}); // the conversation goes on without a notice
				child.unref();
			};
	}
}
